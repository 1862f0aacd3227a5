//! The functions and globals of a text.

use crate::{Analysis, hover};
use lsp_types::{DocumentSymbol, SymbolKind};
use tilewright_text::parse::NameKind;

#[expect(deprecated, reason = "the protocol's structure still has a field that nobody should use")]
pub(crate) fn of(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let symbols = analysis.map().definitions.iter().filter_map(|definition| {
        let kind = match definition.kind {
            NameKind::Function => SymbolKind::FUNCTION,
            NameKind::Global => SymbolKind::CONSTANT,
            _ => return None,
        };
        let line = analysis.lines().line(analysis.text(), definition.span.start);
        // The body of a function begins in its line.
        let body = analysis.map().regions.iter().find(|region| line.start <= region.start && region.start < line.end.max(line.start + 1));
        let whole = line.start..body.map_or(line.end, |body| (body.end + 1).min(analysis.text().len()).max(line.end));
        Some(DocumentSymbol {
            name: analysis.text()[definition.span.clone()].to_owned(),
            detail: Some(hover::declaration(analysis, definition, 0)),
            kind,
            tags: None,
            deprecated: None,
            range: analysis.lines().range(analysis.text(), &whole),
            selection_range: analysis.lines().range(analysis.text(), &definition.span),
            children: None,
        })
    });
    symbols.collect()
}
