//! How to write.

use crate::file_layout::FileLayout;
use tilewright_ir::Version;

/// How a file is laid out that is not made after another one. Both mean the same to every reader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Style {
    /// Like cuTile Python: functions first, every table there even if it is empty, types and strings in the order in which
    /// the functions come to them. The default: it is defined up to 13.5.
    #[default]
    Cutile,
    /// Like the C++ writer of the open dialect: globals first, empty sections left out, the names and types of all functions
    /// before what their bodies need, strings of debug entries last.
    Cpp,
}

/// What to write a module as.
///
/// ```
/// use tilewright_bytecode::{Style, WriteOptions};
/// use tilewright_ir::Version;
/// let options = WriteOptions::new(Version::V13_3).style(Style::Cpp);
/// assert_eq!(options.version(), Version::V13_3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions<'l> {
    version: Version,
    style: Style,
    layout: Option<&'l FileLayout>,
}

impl<'l> WriteOptions<'l> {
    /// A file of this version.
    pub fn new(version: Version) -> WriteOptions<'l> {
        WriteOptions { version, style: Style::default(), layout: None }
    }

    /// Orders sections and tables this way. Default: [`Style::Cutile`]. A [layout](Self::layout) overrides it.
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Makes the file look like the one that the layout was taken from, as far as it says the same. Default: none.
    pub fn layout(mut self, layout: &'l FileLayout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// The version to write.
    pub fn version(&self) -> Version {
        self.version
    }

    pub(super) fn chosen_layout(&self) -> Option<&'l FileLayout> {
        self.layout
    }

    pub(super) fn chosen_style(&self) -> Style {
        self.layout.map_or(self.style, FileLayout::style)
    }
}
