//! Builds a kernel from nothing, checks it, prints it, writes it as bytecode, and runs it on the CPU.
//!
//! The kernel gives every block one element of `y = a * x + y`.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use tilewright::{
    bytecode::{self, WriteOptions},
    exec::{self, Arg, LaunchOptions, Memory, Program},
    ir::{AttrName, AttrValue, MemoryOrderingSemantics, Module, Opcode, Scalar, TypeTable, Version, verify},
    text::{self, PrintOptions},
};

/// A module with the entry `saxpy(a: f32, x: ptr<f32>, y: ptr<f32>)`.
fn saxpy() -> Result<Module, Box<dyn Error>> {
    let mut module = Module::new("kernels", Version::LATEST);
    let types = &mut module.tables.types;
    let f32s = types.tile(Scalar::F32.ty(), &[])?;
    let i32s = types.tile(Scalar::I32.ty(), &[])?;
    let pointer = types.pointer(Scalar::F32.ty())?;
    let pointers = types.tile(pointer, &[])?;
    let token = TypeTable::token();
    let weak = AttrValue::Enum(MemoryOrderingSemantics::Weak as u8);

    module.add_entry("saxpy", &[f32s, pointers, pointers], |b, params| {
        let (a, x, y) = (params[0], params[1], params[2]);
        let block = b.op(Opcode::GetTileBlockId).results(&[i32s; 3]).value()?;
        let x = b.op(Opcode::Offset).operand("ptr", x).operand("offset", block).result(pointers).value()?;
        let y = b.op(Opcode::Offset).operand("ptr", y).operand("offset", block).result(pointers).value()?;
        let load = |b: &mut tilewright::ir::Builder<'_>, pointer| {
            let load = b.op(Opcode::LoadPtrTko).operand("source", pointer).attr(AttrName::MemoryOrderingSemantics, weak);
            load.results(&[f32s, token]).value()
        };
        let (xs, ys) = (load(b, x)?, load(b, y)?);
        let sum = b.op(Opcode::Fma).operand("lhs", a).operand("rhs", xs).operand("acc", ys);
        let sum = sum.attr(AttrName::RoundingMode, AttrValue::Enum(0)).result(f32s).value()?;
        let store = b.op(Opcode::StorePtrTko).operand("destination", y).operand("value", sum);
        store.attr(AttrName::MemoryOrderingSemantics, weak).result(token).finish()?;
        b.op(Opcode::Return).finish().map(drop)
    })?;
    Ok(module)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = verify(saxpy()?).map_err(|findings| findings[0].to_string())?;
    print!("{}", text::print(&module, &PrintOptions::new()));

    let file = bytecode::write(&module, &WriteOptions::new(Version::V13_1))?;
    println!("as bytecode of version 13.1: {} bytes", file.len());

    let floats = |values: [f32; 4]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let mut memory = Memory::new();
    let x = memory.add(floats([1.0, 2.0, 3.0, 4.0]));
    let y = memory.add(floats([0.5; 4]));
    let a = Arg::Scalar(Scalar::F32, 2f32.to_bits().into());
    let args = [a, Arg::Pointer(memory.address(x)), Arg::Pointer(memory.address(y))];
    let plan = Program::new(module).plan("saxpy")?;
    exec::launch(&plan, &mut memory, [4, 1, 1], &args, &LaunchOptions::new())?;

    let result: Vec<f32> = memory.bytes(y).chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().expect("4 bytes"))).collect();
    println!("y = {result:?}");
    assert_eq!(result, [2.5, 4.5, 6.5, 8.5]);
    Ok(())
}
