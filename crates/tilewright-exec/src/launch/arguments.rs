//! Arguments of a launch among its constants.

use super::Arg;
use crate::{LaunchErrorKind, Param, Plan, budget::Budget, plan::PARAM_BYTES, vm::AlignedBytes};
use std::sync::Arc;
use tilewright_ir::Scalar;

/// The constants of a launch: the plan's, with the arguments in front, and room for what the prologue computes.
pub(super) fn bind(plan: &Plan, args: &[Arg], budget: &Arc<Budget>) -> Result<AlignedBytes, LaunchErrorKind> {
    if args.len() != plan.params().len() {
        return Err(LaunchErrorKind::ArgumentCount { expected: plan.params().len(), found: args.len() });
    }
    let source = plan.constants.bytes();
    let mut constants = AlignedBytes::zeroed(source.len(), budget)?;
    let bytes = constants.as_mut_slice();
    bytes[..source.len()].copy_from_slice(source);
    for (index, (param, arg)) in plan.params().iter().zip(args).enumerate() {
        let bits = argument_bits(index, *param, *arg)?;
        bytes[index * PARAM_BYTES..][..PARAM_BYTES].copy_from_slice(&bits.to_le_bytes());
    }
    Ok(constants)
}

fn argument_bits(index: usize, param: Param, arg: Arg) -> Result<u64, LaunchErrorKind> {
    match (param, arg) {
        (Param::Pointer(_), Arg::Pointer(address)) => Ok(address),
        // Of an i1 argument only the lowest bit counts (SEMANTICS (f)).
        (Param::Scalar(Scalar::I1), Arg::Scalar(Scalar::I1, bits)) => Ok(bits & 1),
        (Param::Scalar(expected), Arg::Scalar(found, bits)) if expected == found => Ok(bits),
        (param, arg) => {
            let found = match arg {
                Arg::Scalar(scalar, _) => scalar.to_string(),
                Arg::Pointer(_) => "a buffer".to_owned(),
            };
            Err(LaunchErrorKind::ArgumentType { index, expected: param.to_string(), found })
        }
    }
}
