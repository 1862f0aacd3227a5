//! Cases on another machine than the engine: what it gets, and what is judged afterwards.

use super::{
    Case, CaseError, FailureVerdict, InputVerdict, LaunchVerdict, OutputVerdict,
    bind::{Bindings, Check},
    run::{judge_output, judge_stdout},
};
use crate::exec::Arg;

/// A case with its buffers and arguments, for another machine to launch.
pub struct BoundCase<'c> {
    pub(super) case: &'c Case,
    bindings: Bindings,
}

/// What a launch did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The content of the buffers, in the order of [`BoundCase::buffers`]; none if they cannot be read any more.
    pub buffers: Vec<Vec<u8>>,
    /// What was printed.
    pub printed: Vec<u8>,
    /// How it failed, if it did.
    pub error: Option<String>,
    /// How long it took.
    pub seconds: f64,
}

impl Case {
    /// Reads the inputs of the case.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn bind(&self) -> Result<BoundCase<'_>, CaseError> {
        Ok(BoundCase { case: self, bindings: Bindings::new(self)? })
    }
}

impl BoundCase<'_> {
    /// What each buffer holds before the launch, and whether the kernel may only read it. They are to be aligned to 256 bytes.
    pub fn buffers(&self) -> impl Iterator<Item = (&[u8], bool)> {
        self.bindings.buffers.iter().map(|buffer| (buffer.initial.bytes(), buffer.read_only))
    }

    /// The bits of the launch arguments for buffers at these addresses, and what buffers hold whose content depends on them.
    pub fn arguments(&self, addresses: &[u64]) -> (Vec<u64>, Vec<(usize, Vec<u8>)>) {
        let (args, tables) = self.bindings.resolve(addresses);
        let bits = args.iter().map(|arg| match arg {
            Arg::Pointer(bits) | Arg::Scalar(_, bits) => *bits,
        });
        (bits.collect(), tables)
    }

    /// Judges a launch. An assertion that fails must print its message, which is how GPUs say it.
    pub fn judge(&self, outcome: &Outcome) -> LaunchVerdict {
        let spec = &self.case.spec;
        let printed = String::from_utf8_lossy(&outcome.printed);
        let failure = spec.failure.as_ref().map(|expected| FailureVerdict {
            ok: outcome.error.is_some() && (expected.kind != "assert" || printed.contains(&expected.message)),
            expected: format!("{} failure '{}'", expected.kind, expected.message),
            found: outcome.error.clone(),
        });
        let as_expected = failure.as_ref().map_or(outcome.error.is_none(), |failure| failure.ok);
        let checks = if as_expected { &self.bindings.checks[..] } else { &[] };
        let found = |check: &Check| outcome.buffers.get(check.buffer).map(|found| judge_output(check, found));
        let outputs: Vec<OutputVerdict> = checks.iter().filter_map(found).collect();
        let buffers = self.bindings.buffers.iter().zip(&outcome.buffers);
        let read_only = buffers.filter(|(bound, _)| bound.read_only && !self.bindings.is_table(bound));
        let inputs: Vec<InputVerdict> = read_only
            .map(|(bound, after)| InputVerdict { param: bound.param.clone(), unchanged: bound.initial.bytes() == after })
            .collect();
        let stdout = spec.stdout.as_ref().map(|expected| judge_stdout(expected, &outcome.printed));
        let ok = as_expected
            && outputs.iter().all(|output| output.ok)
            && inputs.iter().all(|input| input.unchanged)
            && stdout.as_ref().is_none_or(|stdout| stdout.ok);
        LaunchVerdict { seconds: outcome.seconds, ok, error: outcome.error.clone(), outputs, inputs, stdout, failure }
    }
}
