//! Source that Python has and no file: cells of notebooks.

use pyo3::{prelude::*, types::PyDict};

/// The text of a file that Python keeps in `linecache`, where IPython puts the cells of notebooks under the names that modules know them by.
pub(crate) fn text_of(file: &str) -> Option<String> {
    Python::attach(|py| {
        // Only what is there already: to ask for more would read any file that a module names.
        let cache = py.import("linecache").ok()?.getattr("cache").ok()?;
        let entry = cache.cast::<PyDict>().ok()?.get_item(file).ok()??;
        let (_, _, lines, _): (Bound<'_, PyAny>, Bound<'_, PyAny>, Vec<String>, Bound<'_, PyAny>) = entry.extract().ok()?;
        Some(lines.concat())
    })
}
