//! Programs: verified modules with the plans made from them.

use crate::{Plan, PlanError, memory::Globals};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright_ir::VerifiedModule;

/// A module that can be run. Its globals are initialised when it is made, and keep what launches store in them.
#[derive(Debug)]
pub struct Program {
    module: VerifiedModule,
    globals: Arc<Globals>,
    plans: Mutex<HashMap<String, Arc<Plan>>>,
}

impl Program {
    /// A program without plans; each is made when it is first asked for.
    pub fn new(module: VerifiedModule) -> Program {
        let globals = Arc::new(Globals::new(&module));
        Program { module, globals, plans: Mutex::default() }
    }

    /// Its module.
    pub fn module(&self) -> &VerifiedModule {
        &self.module
    }

    /// The plan of the entry with this name.
    ///
    /// # Errors
    /// When there is no such entry, or the engine cannot run it.
    pub fn plan(&self, entry: &str) -> Result<Arc<Plan>, PlanError> {
        // A panic while planning leaves the map as it was.
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = plans.get(entry) {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(Plan::new(&self.module, &self.globals, entry)?);
        plans.insert(entry.to_owned(), Arc::clone(&plan));
        Ok(plan)
    }
}
