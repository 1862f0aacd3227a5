//! Programs: verified modules with the plans made from them.

use crate::{Plan, PlanError};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tilewright_ir::VerifiedModule;

/// A module that can be run.
#[derive(Debug)]
pub struct Program {
    module: VerifiedModule,
    plans: Mutex<HashMap<String, Arc<Plan>>>,
}

impl Program {
    /// A program without plans; each is made when it is first asked for.
    pub fn new(module: VerifiedModule) -> Program {
        Program { module, plans: Mutex::default() }
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
        let plan = Arc::new(Plan::new(&self.module, entry)?);
        plans.insert(entry.to_owned(), Arc::clone(&plan));
        Ok(plan)
    }
}
