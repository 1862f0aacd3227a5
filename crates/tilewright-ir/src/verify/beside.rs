//! Verification beside other work on the same module.

use super::{Module, RejectedModule, VerifiedModule, findings};
use std::{panic::resume_unwind, thread};

/// Checks a module like [`try_verify`](super::try_verify), while `work` looks at it on another thread. What the work makes is only given out
/// together with the verified module.
///
/// The work sees a module that may break every rule, so it must not rely on any; where it panics, findings come first.
///
/// ```
/// use tilewright_ir::{Module, Version, verify_beside};
/// let (module, functions) = verify_beside(Module::new("kernels", Version::V13_4), |module| module.functions.len())?;
/// assert_eq!((module.version, functions), (Version::V13_4, 0));
/// # Ok::<(), Box<tilewright_ir::RejectedModule>>(())
/// ```
///
/// # Errors
/// The module, and what is wrong with it.
///
/// # Panics
/// When the module is valid, and the work panics.
pub fn verify_beside<T: Send>(module: Module, work: impl Fn(&Module) -> T + Sync) -> Result<(VerifiedModule, T), Box<RejectedModule>> {
    let ((findings, total), made) = thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, || work(&module));
        let findings = findings(&module);
        (findings, worker.ok().map(thread::ScopedJoinHandle::join))
    });
    if total > 0 {
        return Err(Box::new(RejectedModule { module, findings, total }));
    }
    let made = match made {
        Some(made) => made.unwrap_or_else(|panic| resume_unwind(panic)),
        // There was no other thread to be had.
        None => work(&module),
    };
    Ok((VerifiedModule(module), made))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Function, SymbolVisibility, TypeData, Version};

    /// A module with an entry without a body, which is not valid.
    fn invalid() -> Module {
        let mut module = Module::new("kernels", Version::LATEST);
        let name = module.tables.strings.intern("k");
        let signature = module.tables.types.intern(TypeData::Function { inputs: [].into(), results: [].into() }).unwrap();
        let (body, visibility) = (Body::new(), SymbolVisibility::Public);
        module.functions.push(Function { name, signature, is_entry: true, visibility, hints: None, arg_attrs: None, loc: None, body });
        module
    }

    #[test]
    fn what_is_made_of_an_invalid_module_is_not_given_out() {
        let expected = super::super::verify(invalid()).unwrap_err();
        let rejected = verify_beside(invalid(), |module| module.functions.len()).unwrap_err();
        assert_eq!((rejected.module.functions.len(), rejected.findings), (1, expected));
    }

    #[test]
    fn findings_come_before_a_panic() {
        let panics = |module: &Module| -> usize { panic!("{} functions", module.functions.len()) };
        assert!(verify_beside(invalid(), panics).is_err());
        let valid = || verify_beside(Module::new("kernels", Version::LATEST), panics).is_ok();
        assert!(std::panic::catch_unwind(valid).is_err());
    }
}
