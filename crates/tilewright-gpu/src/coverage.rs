//! What operations compile to.

use tilewright_ir::Opcode;

/// What an operation compiles to.
pub const fn coverage(opcode: Opcode) -> &'static str {
    use Opcode::*;
    const ELEMENTWISE: &str = "primitives of vector code, register by register";
    match opcode {
        AbsF | AbsI | AddF | AddI | AndI | Bitcast | Ceil | CmpF | CmpI | Cos | CosH | DivF | DivI | Exp | Exp2 | ExtI | Floor | Fma
        | FToF | FToI | IntToPtr | IToF | Log | Log2 | MaxF | MaxI | MinF | MinI | MulF | MulhiI | MulI | NegF | NegI | Offset | OrI
        | FPowF | FPowI | PtrToInt | PtrToPtr | RemF | RemI | Rsqrt | Select | ShLI | ShRI | Sin | SinH | Sqrt | SubF | SubI | Tan
        | TanH | TruncI | XOrI | Atan2 => ELEMENTWISE,
        Constant => "a number, or numbers in global memory",
        Iota => "bits of the thread's number",
        Reshape => "nothing",
        Broadcast | Permute => "nothing, other registers, or shared memory",
        Cat | Insert => "as permute, then a selection",
        Extract => "shared memory",
        Reduce => "registers, shuffles, then shared memory; each thread combines by itself",
        MmaF | MmaI => {
            "`mma.sync` of f16, bf16, tf32, f64, i8 and f8, before sm_89 as f16; else multiply-adds of what shared memory holds: f32 or i32"
        }
        MmaFScaled => "as mmaf, in f64",
        Scan => "registers, shuffles, then shared memory; each thread combines by itself",
        Pack | Unpack => "shifts of registers; other registers or shared memory",
        PrintTko => "`vprintf` by one thread, of tiles from shared memory",
        Assert => "`vprintf` and `trap`",
        Global => "global memory of the module",
        GetGlobal => "an address",
        Alloca => "the device's memory, taken and given back by one thread",
        GdcWaitTko | GdcLaunchDependentsTko => "`griddepcontrol`; nothing before sm_90",
        GetTileBlockId | GetNumTileBlocks => "a special register",
        Assume | MakePartitionView | MakeStridedView | MakeGatherScatterView | MakeTensorView => "nothing",
        MakeToken | JoinTokens | MemoryFenceAliasTko => "nothing: accesses that a token orders have a barrier between them",
        GetTensorShape | GetIndexSpaceShape => "arithmetic",
        LoadPtrTko | LoadViewTko => "loads of up to 16 bytes, elements of 4 bits in pairs; strong ones by one thread for each element",
        StorePtrTko | StoreViewTko => "stores of up to 16 bytes, by one thread for each element or pair of 4 bits",
        AtomicRMWTko | AtomicRedViewTko => "`atom` or `red`; sums of bf16 by exchanges before sm_90",
        AtomicCASTko => "`atom.cas`",
        MultimemLoadReduceViewTko => "`multimem.ld_reduce`, from sm_90 on",
        MultimemReduceViewTko => "`multimem.red`, from sm_90 on",
        MultimemStoreViewTko => "`multimem.st`, from sm_90 on",
        If | For | Loop | Break | Continue | Yield | Return => "branches; what is carried is a register",
        PreviewCall => "what the function does",
        Entry | Module => "an entry",
    }
}
