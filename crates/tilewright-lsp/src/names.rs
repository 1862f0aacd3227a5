//! Where names are defined and used, and other names for them.

use crate::Analysis;
use lsp_types::{Range, TextEdit};
use tilewright_text::parse::{Definition, NameKind};

/// Where the name at a place is defined.
pub(crate) fn definition(analysis: &Analysis, at: usize) -> Option<Range> {
    let (definition, _) = analysis.map().name_at(at)?;
    Some(analysis.lines().range(analysis.text(), &analysis.map().definitions[definition].span))
}

/// All places of the name at a place: first where it is defined, if that is wanted.
pub(crate) fn places(analysis: &Analysis, at: usize, with_definition: bool) -> Vec<Range> {
    let Some((definition, _)) = analysis.map().name_at(at) else { return Vec::new() };
    let places = analysis.map().places_of(definition).skip(usize::from(!with_definition));
    places.map(|span| analysis.lines().range(analysis.text(), &span)).collect()
}

/// The name at a place, as far as it can be changed.
pub(crate) fn renamed_range(analysis: &Analysis, at: usize) -> Option<Range> {
    let (_, span) = analysis.map().name_at(at)?;
    Some(analysis.lines().range(analysis.text(), &span))
}

/// The changes that give the name at a place another name, or why there are none.
pub(crate) fn rename(analysis: &Analysis, at: usize, new: &str) -> Result<Vec<TextEdit>, String> {
    let map = analysis.map();
    let (index, _) = map.name_at(at).ok_or("there is no name here")?;
    let definition = &map.definitions[index];
    let sign = sign(definition.kind);
    let bare = new.strip_prefix(sign).unwrap_or(new);
    if !is_name(definition.kind, bare) {
        return Err(format!("'{new}' is no name that can stand behind {sign}"));
    }
    let is_symbol = matches!(definition.kind, NameKind::Function | NameKind::Global);
    let new = if is_symbol { bare.to_owned() } else { format!("{sign}{bare}") };
    let name_of = |other: &Definition| &analysis.text()[other.span.clone()];
    let is_taken = |other: &&Definition| {
        let overlaps = other.scope.start < definition.scope.end && definition.scope.start < other.scope.end;
        sign == self::sign(other.kind) && name_of(other) == new && overlaps
    };
    let mut others = map.definitions.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, other)| other);
    if let Some(other) = others.find(is_taken) {
        let line = analysis.lines().position(analysis.text(), other.span.start).line + 1;
        return Err(format!("{sign}{bare} is defined in line {line} already"));
    }
    let edits = map.places_of(index).map(|span| TextEdit { range: analysis.lines().range(analysis.text(), &span), new_text: new.clone() });
    Ok(edits.collect())
}

/// What names of a kind begin with.
pub(crate) fn sign(kind: NameKind) -> char {
    match kind {
        NameKind::Value => '%',
        NameKind::Function | NameKind::Global => '@',
        NameKind::TypeAlias => '!',
        NameKind::AttrAlias => '#',
        NameKind::Label => '^',
    }
}

/// Whether this can be a name: a number, where these are names, or letters, digits and some signs that do not begin with a digit.
fn is_name(kind: NameKind, name: &str) -> bool {
    let signs = if matches!(kind, NameKind::Function | NameKind::Global) { "_$." } else { "_$.-" };
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let can_be_number = matches!(kind, NameKind::Value | NameKind::Label);
    let fits = name.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c));
    // Aliases of the dialect's own attributes and types cannot be told from these.
    !name.is_empty() && fits && !name.starts_with("cuda_tile.") && (begins || is_number && can_be_number)
}
