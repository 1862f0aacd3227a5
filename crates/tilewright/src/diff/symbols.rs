//! Comparing what a module declares: version, producer, globals, functions.

use super::{
    Change, Detail, DiffOptions, FunctionDiff, GlobalDiff, Unchanged,
    canon::{Canon, Side},
    function,
    operation::constant_text,
};
use crate::{
    ir::{Attr, Function, Global, Module, Str},
    text,
};
use std::collections::HashMap;

/// Version and producer.
pub(super) fn module(old: &Side<'_>, new: &Side<'_>) -> Vec<Detail> {
    let mut details = Vec::new();
    let mut compare = |what: &str, show: fn(&Module) -> String| {
        let (old, new) = (show(old.module), show(new.module));
        if old != new {
            details.push(Detail::new(what, old, new));
        }
    };
    compare("version", |module| module.version.to_string());
    compare("producer", |module| module.producer.map_or_else(|| "none".to_owned(), |p| format!("{:?}", module.tables.strings.shown(p))));
    compare("name", |module| module.tables.strings.text(module.name).into_owned());
    details
}

/// What stands on one side or on both, by name. Of several with one name, the first belongs to the first.
fn by_name<'a, T>(
    old: (&Side<'_>, &'a [T]),
    new: (&Side<'_>, &'a [T]),
    name: fn(&T) -> Str,
) -> impl Iterator<Item = (Option<&'a T>, Option<&'a T>)> + use<'a, T> {
    let mut places: HashMap<Str, Vec<usize>> = HashMap::new();
    for (index, item) in new.1.iter().enumerate().rev() {
        places.entry(new.0.string(name(item))).or_default().push(index);
    }
    let mut taken = vec![false; new.1.len()];
    let mut pairs = Vec::with_capacity(old.1.len());
    for item in old.1 {
        let place = places.get_mut(&old.0.string(name(item))).and_then(Vec::pop);
        if let Some(index) = place {
            taken[index] = true;
        }
        pairs.push((Some(item), place.map(|index| &new.1[index])));
    }
    pairs.extend(new.1.iter().zip(taken).filter(|(_, taken)| !taken).map(|(item, _)| (None, Some(item))));
    pair_the_last(&mut pairs);
    pairs.into_iter()
}

/// If a single one is left on each side, they belong together: it has another name now.
fn pair_the_last<T>(pairs: &mut Vec<(Option<&T>, Option<&T>)>) {
    let positions = |missing: fn(&(Option<&T>, Option<&T>)) -> bool| {
        let mut positions = pairs.iter().enumerate().filter(|(_, pair)| missing(pair)).map(|(i, _)| i);
        positions.next().filter(|_| positions.next().is_none())
    };
    if let (Some(old), Some(new)) = (positions(|pair| pair.1.is_none()), positions(|pair| pair.0.is_none())) {
        pairs[old].1 = pairs[new].1;
        pairs.remove(new);
    }
}

/// The names, if they differ.
fn names(old: (&Side<'_>, Str), new: (&Side<'_>, Str)) -> Option<Detail> {
    let text = |(side, name): (&Side<'_>, Str)| side.module.tables.strings.text(name).into_owned();
    (old.0.string(old.1) != new.0.string(new.1)).then(|| Detail::new("name", text(old), text(new)))
}

fn change<T>(old: Option<T>, new: Option<T>) -> Change {
    match (old, new) {
        (Some(_), Some(_)) => Change::Changed,
        (Some(_), None) => Change::Removed,
        (None, _) => Change::Added,
    }
}

/// The globals that differ, and how many do not.
pub(super) fn globals(canon: &mut Canon, old: &Side<'_>, new: &Side<'_>) -> (Vec<GlobalDiff>, usize) {
    let mut differing = Vec::new();
    let mut equal = 0;
    for (a, b) in by_name((old, &old.module.globals), (new, &new.module.globals), |global| global.name) {
        let details = match (a, b) {
            (Some(a), Some(b)) => global(canon, (old, a), (new, b)),
            _ => Vec::new(),
        };
        let change = change(a, b);
        if change == Change::Changed && details.is_empty() {
            equal += 1;
            continue;
        }
        let name = a.map(|a| (old, a.name)).or(b.map(|b| (new, b.name)));
        let name = name.map_or_else(String::new, |(side, name)| side.module.tables.strings.text(name).into_owned());
        differing.push(GlobalDiff { name, change, details });
    }
    (differing, equal)
}

fn global(canon: &mut Canon, old: (&Side<'_>, &Global), new: (&Side<'_>, &Global)) -> Vec<Detail> {
    let ((old, a), (new, b)) = (old, new);
    let mut details = Vec::from_iter(names((old, a.name), (new, b.name)));
    if old.ty(a.ty) != new.ty(b.ty) {
        details.push(Detail::new("type", text::print_type(old.module, a.ty), text::print_type(new.module, b.ty)));
    }
    if canon.constant(old, a.value, Some(a.ty)) != canon.constant(new, b.value, Some(b.ty)) {
        details.push(Detail::new("value", constant_text(old, a.value), constant_text(new, b.value)));
    }
    if a.alignment != b.alignment {
        details.push(Detail::new("alignment", a.alignment.to_string(), b.alignment.to_string()));
    }
    if a.visibility != b.visibility {
        details.push(Detail::new("visibility", a.visibility.keyword(), b.visibility.keyword()));
    }
    if a.constant != b.constant {
        details.push(Detail::new("constant", a.constant.to_string(), b.constant.to_string()));
    }
    details
}

/// The functions that differ, and how much does not.
pub(super) fn functions(canon: &mut Canon, old: &Side<'_>, new: &Side<'_>, options: &DiffOptions) -> (Vec<FunctionDiff>, Unchanged) {
    let mut differing = Vec::new();
    let mut unchanged = Unchanged::default();
    for (a, b) in by_name((old, &old.module.functions), (new, &new.module.functions), |function| function.name) {
        let (details, body) = match (a, b) {
            (Some(a), Some(b)) => (signature(old, a, new, b, options), function::compare(canon, (old, a), (new, b), options)),
            _ => (Vec::new(), function::BodyDiff::default()),
        };
        unchanged.operations += body.equal;
        let change = change(a, b);
        if change == Change::Changed && details.is_empty() && body.operations.is_empty() {
            unchanged.functions += 1;
            continue;
        }
        let name = a.map(|a| (old, a.name)).or(b.map(|b| (new, b.name)));
        let name = name.map_or_else(String::new, |(side, name)| side.module.tables.strings.text(name).into_owned());
        let count = |function: Option<&Function>| function.map_or(0, |f| f.body.num_ops());
        differing.push(FunctionDiff { name, change, details, operations: body.operations, counts: (count(a), count(b)) });
    }
    (differing, unchanged)
}

/// What differs between two functions besides their operations.
fn signature(old: &Side<'_>, a: &Function, new: &Side<'_>, b: &Function, options: &DiffOptions) -> Vec<Detail> {
    let mut details = Vec::from_iter(names((old, a.name), (new, b.name)));
    if old.ty(a.signature) != new.ty(b.signature) {
        let (a, b) = (text::print_type(old.module, a.signature), text::print_type(new.module, b.signature));
        details.push(Detail::new("signature", a, b));
    }
    if a.is_entry != b.is_entry {
        details.push(Detail::new("entry", a.is_entry.to_string(), b.is_entry.to_string()));
    }
    if a.visibility != b.visibility {
        details.push(Detail::new("visibility", a.visibility.keyword(), b.visibility.keyword()));
    }
    for (what, a, b) in [("hints", a.hints, b.hints), ("parameter attributes", a.arg_attrs, b.arg_attrs)] {
        if a.map(|a| old.attr(a)) != b.map(|b| new.attr(b)) {
            details.push(Detail::new(what, compound_text(old, a), compound_text(new, b)));
        }
    }
    if options.locations && old.location(a.loc) != new.location(b.loc) {
        details.push(Detail::new("location", function::location_text(old, a.loc), function::location_text(new, b.loc)));
    }
    details
}

fn compound_text(side: &Side<'_>, attr: Option<Attr>) -> String {
    attr.map_or_else(|| "none".to_owned(), |attr| text::print_compound(side.module, attr))
}
