//! The global and the producer section (FORMAT sections 3.4 and 3.5).

use super::{Style, context::Context, error::WriteError, put::Put};
use tilewright_ir::{Global, Str, SymbolVisibility, Version};

impl Context<'_> {
    /// Gives positions to what the record of a global refers to: cuTile does where a body first names it.
    pub(super) fn announce_global(&mut self, name: Str) -> Result<(), WriteError> {
        if self.is_fresh(Style::Cutile)
            && let Some(global) = self.global_named(name)
        {
            self.string(name);
            self.ty(global.ty)?;
            self.constant(global.value, Some(global.ty))?;
        }
        Ok(())
    }

    /// The payload of the global section; `None` where there are no globals.
    pub(super) fn globals(&mut self) -> Result<Option<Vec<u8>>, WriteError> {
        let module = self.module;
        if module.globals.is_empty() {
            return Ok(None);
        }
        let mut out = Vec::new();
        out.count(module.globals.len());
        for global in &module.globals {
            let name = &module.tables.strings;
            self.global(&mut out, global).map_err(|error| error.in_function(&name.text(global.name)))?;
        }
        Ok(Some(out))
    }

    fn global(&mut self, out: &mut Vec<u8>, global: &Global) -> Result<(), WriteError> {
        out.varint(self.string(global.name));
        out.varint(self.ty(global.ty)?);
        out.varint(self.constant(global.value, Some(global.ty))?);
        out.varint(global.alignment);
        if self.version >= Version::V13_3 {
            out.varint(global.visibility as u64);
            out.varint(global.constant.into());
        } else if global.visibility != SymbolVisibility::Public {
            return Err(self.newer(Version::V13_3, "a private global".to_owned()));
        } else if global.constant {
            return Err(self.newer(Version::V13_3, "a constant global".to_owned()));
        }
        Ok(())
    }

    /// The payload of the producer section; `None` where no producer is known. `is_kept`: a file of an older version had one
    /// nevertheless, which readers take.
    pub(super) fn producer(&mut self, is_kept: bool) -> Result<Option<Vec<u8>>, WriteError> {
        let Some(producer) = self.module.producer else { return Ok(None) };
        if self.version < Version::V13_3 && !is_kept {
            return match self.module.tables.strings.bytes(producer) {
                [] => Ok(None),
                _ => Err(self.newer(Version::V13_3, "the name of the producer".to_owned())),
            };
        }
        let mut out = Vec::new();
        out.varint(self.string(producer));
        Ok(Some(out))
    }
}
