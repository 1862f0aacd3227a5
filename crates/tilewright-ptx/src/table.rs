//! The table of instructions: one row for each form, written as the PTX manual writes them.
//!
//! A row's syntax is an opcode and its modifiers in order. `(a b)` is one of several, `{a b}` is one of several or none, and `$name`
//! stands for a set. Operands are `role:type`: the role `d` is a result, `[m]` an address, `v` one register or a vector of them, `!`
//! a predicate that may be negated, and a `?` behind makes an operand optional. A type is `0` or `1`, the first or second type of the
//! instruction's name; `w`, twice as wide as the first; or a type's name.

use crate::{
    Type,
    machine::op::{Kind, Mods},
};
use std::{collections::HashMap, sync::OnceLock};

const SETS: [(&str, &str); 8] = [
    ("$int", "u16 u32 u64 s16 s32 s64"),
    ("$word", "u32 u64 s32 s64"),
    ("$bits", "b16 b32 b64"),
    ("$any", "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 f16 bf16"),
    ("$round", "rn rz rm rp"),
    ("$ints8", "u8 u16 u32 u64 s8 s16 s32 s64"),
    ("$cache", "ca cg cs lu cv wb wt"),
    ("$shared", "shared shared::cta"),
];

/// A form of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The opcode and its modifiers.
    pub syntax: &'static str,
    /// The operands.
    pub operands: &'static str,
    pub(crate) kind: Kind,
}

/// What a row says of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperandRule {
    pub(crate) role: Role,
    pub(crate) ty: TypeRule,
    pub(crate) optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Result,
    Source,
    Address,
    /// Results, as many as `.v2` says or as are written.
    Results,
    Sources,
    /// A result and a predicate beside it.
    ResultAndPredicate,
    Label,
    Function,
    /// A variable, or a register that holds an address.
    Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeRule {
    Nth(usize),
    Wide,
    Is(Type),
}

macro_rules! rows {
    ($($kind:ident { $($syntax:literal, $operands:literal;)* })*) => {
        /// Every row. Of rows with the same opcode, the first that fits counts.
        pub const ROWS: &[Row] = &[$($(Row { syntax: $syntax, operands: $operands, kind: Kind::$kind },)*)*];
    };
}

rows! {
    Add {
        "add ($int)", "d:0 a:0 b:0";
        "add sat (s32)", "d:0 a:0 b:0";
        "add cc ($word)", "d:0 a:0 b:0";
        "add {$round} {ftz} {sat} (f32)", "d:0 a:0 b:0";
        "add {$round} (f64)", "d:0 a:0 b:0";
        "add {rn} {ftz} {sat} (f16 f16x2)", "d:0 a:0 b:0";
        "add {rn} (bf16 bf16x2)", "d:0 a:0 b:0";
    }
    AddC { "addc {cc} ($word)", "d:0 a:0 b:0"; }
    Sub {
        "sub ($int)", "d:0 a:0 b:0";
        "sub sat (s32)", "d:0 a:0 b:0";
        "sub cc ($word)", "d:0 a:0 b:0";
        "sub {$round} {ftz} {sat} (f32)", "d:0 a:0 b:0";
        "sub {$round} (f64)", "d:0 a:0 b:0";
        "sub {rn} {ftz} {sat} (f16 f16x2)", "d:0 a:0 b:0";
        "sub {rn} (bf16 bf16x2)", "d:0 a:0 b:0";
    }
    SubC { "subc {cc} ($word)", "d:0 a:0 b:0"; }
    Mul {
        "mul (lo hi) ($int)", "d:0 a:0 b:0";
        "mul {$round} {ftz} {sat} (f32)", "d:0 a:0 b:0";
        "mul {$round} (f64)", "d:0 a:0 b:0";
        "mul {rn} {ftz} {sat} (f16 f16x2)", "d:0 a:0 b:0";
        "mul {rn} (bf16 bf16x2)", "d:0 a:0 b:0";
    }
    MulWide { "mul wide (u16 s16 u32 s32)", "d:w a:0 b:0"; }
    Mad {
        "mad (lo hi) ($int)", "d:0 a:0 b:0 c:0";
        "mad (lo hi) cc ($word)", "d:0 a:0 b:0 c:0";
    }
    MadC { "madc (lo hi) {cc} ($word)", "d:0 a:0 b:0 c:0"; }
    MadWide { "mad wide (u16 s16 u32 s32)", "d:w a:0 b:0 c:w"; }
    Fma {
        "fma ($round) {ftz} {sat} (f32)", "d:0 a:0 b:0 c:0";
        "fma ($round) (f64)", "d:0 a:0 b:0 c:0";
        "fma rn {ftz} {sat} (f16 f16x2)", "d:0 a:0 b:0 c:0";
        "fma rn {ftz} relu (f16 f16x2)", "d:0 a:0 b:0 c:0";
        "fma rn {relu} (bf16 bf16x2)", "d:0 a:0 b:0 c:0";
        "mad ($round) {ftz} {sat} (f32)", "d:0 a:0 b:0 c:0";
        "mad ($round) (f64)", "d:0 a:0 b:0 c:0";
    }
    Div {
        "div ($int)", "d:0 a:0 b:0";
        "div (approx full) {ftz} (f32)", "d:0 a:0 b:0";
        "div ($round) {ftz} (f32)", "d:0 a:0 b:0";
        "div ($round) (f64)", "d:0 a:0 b:0";
    }
    Rem { "rem ($int)", "d:0 a:0 b:0"; }
    Abs {
        "abs (s16 s32 s64)", "d:0 a:0";
        "abs {ftz} (f32 f16 f16x2)", "d:0 a:0";
        "abs (f64 bf16 bf16x2)", "d:0 a:0";
    }
    Neg {
        "neg (s16 s32 s64)", "d:0 a:0";
        "neg {ftz} (f32 f16 f16x2)", "d:0 a:0";
        "neg (f64 bf16 bf16x2)", "d:0 a:0";
    }
    Min {
        "min ($int)", "d:0 a:0 b:0";
        "min {ftz} {NaN} (f32 f16 f16x2)", "d:0 a:0 b:0";
        "min {NaN} (bf16 bf16x2)", "d:0 a:0 b:0";
        "min (f64)", "d:0 a:0 b:0";
    }
    Max {
        "max ($int)", "d:0 a:0 b:0";
        "max {ftz} {NaN} (f32 f16 f16x2)", "d:0 a:0 b:0";
        "max {NaN} (bf16 bf16x2)", "d:0 a:0 b:0";
        "max (f64)", "d:0 a:0 b:0";
    }
    Sqrt {
        "sqrt approx {ftz} (f32)", "d:0 a:0";
        "sqrt ($round) {ftz} (f32)", "d:0 a:0";
        "sqrt ($round) (f64)", "d:0 a:0";
    }
    Rcp {
        "rcp approx {ftz} (f32)", "d:0 a:0";
        "rcp approx ftz (f64)", "d:0 a:0";
        "rcp ($round) {ftz} (f32)", "d:0 a:0";
        "rcp ($round) (f64)", "d:0 a:0";
    }
    Rsqrt {
        "rsqrt approx {ftz} (f32)", "d:0 a:0";
        "rsqrt approx {ftz} (f64)", "d:0 a:0";
    }
    Ex2 {
        "ex2 approx {ftz} (f32)", "d:0 a:0";
        "ex2 approx (f16 f16x2)", "d:0 a:0";
        "ex2 approx ftz (bf16 bf16x2)", "d:0 a:0";
    }
    Lg2 { "lg2 approx {ftz} (f32)", "d:0 a:0"; }
    Sin { "sin approx {ftz} (f32)", "d:0 a:0"; }
    Cos { "cos approx {ftz} (f32)", "d:0 a:0"; }
    Tanh { "tanh approx (f32 f16 f16x2 bf16 bf16x2)", "d:0 a:0"; }
    Copysign { "copysign (f32 f64)", "d:0 a:0 b:0"; }
    Testp { "testp (finite infinite number notanumber normal subnormal) (f32 f64)", "d:pred a:0"; }

    And { "and ($bits)", "d:0 a:0 b:0"; }
    Or { "or ($bits)", "d:0 a:0 b:0"; }
    Xor { "xor ($bits)", "d:0 a:0 b:0"; }
    Not { "not ($bits)", "d:0 a:0"; }
    Cnot { "cnot ($bits)", "d:0 a:0"; }
    PredAnd { "and (pred)", "d:0 a:0 b:0"; }
    PredOr { "or (pred)", "d:0 a:0 b:0"; }
    PredXor { "xor (pred)", "d:0 a:0 b:0"; }
    PredNot { "not (pred)", "d:0 a:0"; }
    PredMov { "mov (pred)", "d:0 a:0"; }
    Shl { "shl ($bits)", "d:0 a:0 b:u32"; }
    Shr { "shr ($bits $int)", "d:0 a:0 b:u32"; }
    Shf { "shf (l r) (clamp wrap) (b32)", "d:0 a:0 b:0 c:u32"; }
    Lop3 { "lop3 (b32)", "d:0 a:0 b:0 c:0 i:u32"; }
    Prmt {
        "prmt (b32)", "d:0 a:0 b:0 c:u32";
        "prmt b32 (f4e b4e rc8 ecl ecr rc16)", "d:0 a:0 b:0 c:u32";
    }
    Popc { "popc (b32 b64)", "d:u32 a:0"; }
    Clz { "clz (b32 b64)", "d:u32 a:0"; }
    Brev { "brev (b32 b64)", "d:0 a:0"; }
    Bfind { "bfind {shiftamt} ($word)", "d:u32 a:0"; }
    Bfe { "bfe ($word)", "d:0 a:0 b:u32 c:u32"; }
    Bfi { "bfi (b32 b64)", "d:0 a:0 b:0 c:u32 e:u32"; }
    Sad { "sad ($int)", "d:0 a:0 b:0 c:0"; }
    Dp4a { "dp4a (u32 s32) (u32 s32)", "d:b32 a:b32 b:b32 c:b32"; }

    Setp {
        "setp (eq ne) ($bits)", "dp:pred a:0 b:0";
        "setp (eq ne lt le gt ge lo ls hi hs) ($int)", "dp:pred a:0 b:0";
        "setp (eq ne lt le gt ge equ neu ltu leu gtu geu num nan) {ftz} (f32 f16 bf16)", "dp:pred a:0 b:0";
        "setp (eq ne lt le gt ge equ neu ltu leu gtu geu num nan) (f64)", "dp:pred a:0 b:0";
        "setp (eq ne) (and or xor) ($bits)", "dp:pred a:0 b:0 !c:pred";
        "setp (eq ne lt le gt ge lo ls hi hs) (and or xor) ($int)", "dp:pred a:0 b:0 !c:pred";
        "setp (eq ne lt le gt ge equ neu ltu leu gtu geu num nan) (and or xor) {ftz} (f32 f16 bf16)", "dp:pred a:0 b:0 !c:pred";
        "setp (eq ne lt le gt ge equ neu ltu leu gtu geu num nan) (and or xor) (f64)", "dp:pred a:0 b:0 !c:pred";
    }
    Set {
        "set (eq ne lt le gt ge lo ls hi hs) (u32 s32 f32) ($bits $int)", "d:0 a:1 b:1";
        "set (eq ne lt le gt ge equ neu ltu leu gtu geu num nan) {ftz} (u32 s32 f32) (f32 f64 f16 bf16)", "d:0 a:1 b:1";
    }
    Selp { "selp ($bits $int f32 f64)", "d:0 a:0 b:0 c:pred"; }
    Slct {
        "slct ($bits $int f32 f64) (s32)", "d:0 a:0 b:0 c:1";
        "slct {ftz} ($bits $int f32 f64) (f32)", "d:0 a:0 b:0 c:1";
    }
    Cvt {
        "cvt ($ints8) ($ints8)", "d:0 a:1";
        "cvt sat ($ints8) ($ints8)", "d:0 a:1";
        "cvt ($round) {sat} (f16 bf16 f32 f64) ($ints8)", "d:0 a:1";
        "cvt (rni rzi rmi rpi) {ftz} {sat} ($ints8 f16 bf16 f32 f64) (f16 bf16 f32 f64)", "d:0 a:1";
        "cvt {$round} {ftz} {sat} (f16 f32 f64) (f16 f32 f64)", "d:0 a:1";
        "cvt {$round} {relu} {satfinite} (f16 bf16 f64) (f32 f64 f16 bf16)", "d:0 a:1";
        "cvt {ftz} (f32 f64) (bf16)", "d:0 a:1";
        "cvt (bf16 f16) (f32) ($round)", "d:0 a:1";
        "cvt (rn rz rna) {relu} {satfinite} (tf32) (f32)", "d:b32 a:1";
    }
    CvtPack {
        "cvt (rn rz) {relu} {satfinite} (f16x2 bf16x2) (f32)", "d:0 a:1 b:1";
        "cvt rn satfinite {relu} (e4m3x2 e5m2x2) (f32)", "d:0 a:1 b:1";
    }
    CvtPair {
        "cvt rn {relu} (f16x2) (e4m3x2 e5m2x2)", "d:0 a:1";
        "cvt rn satfinite {relu} (e4m3x2 e5m2x2) (f16x2)", "d:0 a:1";
    }
    Mov {
        "mov ($bits $int f32 f64 f16 bf16 f16x2 bf16x2)", "v:0 n:0";
    }
    Cvta {
        "cvta to (global const shared shared::cta local param) (u32 u64)", "d:0 a:0";
        "cvta (global const shared shared::cta local param) (u32 u64)", "d:0 n:0";
    }
    Isspacep { "isspacep (global const shared shared::cta local param)", "d:pred a:u64"; }

    Ld {
        "ld {weak} {global const $shared local param} {$cache} {nc} {L1::evict_first L1::evict_last L1::no_allocate L1::evict_normal} {L2::64B L2::128B L2::256B} {v2 v4 v8} ($any)", "v:0 [m]";
        "ld volatile {global const $shared local} {v2 v4} ($any)", "v:0 [m]";
        "ld (relaxed acquire) (cta cluster gpu sys) {global $shared} {v2 v4} ($any)", "v:0 [m]";
        "ldu {global} {v2 v4} ($any)", "v:0 [m]";
        "multimem ld_reduce {weak} {global} (add) (u32 s32 u64 f32 f64 f16x2 bf16x2)", "v:0 [m]";
        "multimem ld_reduce {weak} {global} (min max) ($word f16x2 bf16x2)", "v:0 [m]";
        "multimem ld_reduce {weak} {global} (and or xor) (b32 b64)", "v:0 [m]";
        "multimem ld_reduce (relaxed acquire) (cta cluster gpu sys) {global} (add) (u32 s32 u64 f32 f64 f16x2 bf16x2)", "v:0 [m]";
        "multimem ld_reduce (relaxed acquire) (cta cluster gpu sys) {global} (min max) ($word f16x2 bf16x2)", "v:0 [m]";
        "multimem ld_reduce (relaxed acquire) (cta cluster gpu sys) {global} (and or xor) (b32 b64)", "v:0 [m]";
    }
    St {
        "st {weak} {global $shared local param} {$cache} {L1::evict_first L1::evict_last L1::no_allocate L1::evict_normal} {v2 v4 v8} ($any)", "[m] s:0";
        "st volatile {global $shared local} {v2 v4} ($any)", "[m] s:0";
        "st (relaxed release) (cta cluster gpu sys) {global $shared} {v2 v4} ($any)", "[m] s:0";
        "multimem st {weak} {global} (b32 b64 $word f32 f64 f16x2 bf16x2)", "[m] s:0";
        "multimem st (relaxed release) (cta cluster gpu sys) {global} (b32 b64 $word f32 f64 f16x2 bf16x2)", "[m] s:0";
    }
    Atom {
        "atom {relaxed acquire release acq_rel} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed acquire release acq_rel} (add) {noftz} (u32 s32 u64 f32 f64 f16 bf16 f16x2 bf16x2)", "d:0 [m] b:0";
        "atom {relaxed acquire release acq_rel} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed acquire release acq_rel} (min max) (u32 s32 u64 s64)", "d:0 [m] b:0";
        "atom {relaxed acquire release acq_rel} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed acquire release acq_rel} (inc dec) (u32)", "d:0 [m] b:0";
        "atom {relaxed acquire release acq_rel} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed acquire release acq_rel} (and or xor exch) (b32 b64)", "d:0 [m] b:0";
        "atom {relaxed acquire release acq_rel} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed acquire release acq_rel} (cas) (b16 b32 b64)", "d:0 [m] b:0 c:0";
    }
    Red {
        "red {relaxed release} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed release} (add) {noftz} (u32 s32 u64 f32 f64 f16 bf16 f16x2 bf16x2)", "[m] b:0";
        "red {relaxed release} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed release} (min max) (u32 s32 u64 s64)", "[m] b:0";
        "red {relaxed release} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed release} (inc dec) (u32)", "[m] b:0";
        "red {relaxed release} {cta cluster gpu sys} {global $shared} {cta cluster gpu sys} {relaxed release} (and or xor) (b32 b64)", "[m] b:0";
        "multimem red (relaxed release) (cta cluster gpu sys) {global} (add) (u32 s32 u64 f32 f64 f16x2 bf16x2)", "[m] b:0";
        "multimem red (relaxed release) (cta cluster gpu sys) {global} (min max) ($word)", "[m] b:0";
        "multimem red (relaxed release) (cta cluster gpu sys) {global} (and or xor) (b32 b64)", "[m] b:0";
    }
    Nop {
        "membar (cta gl sys)", "";
        "fence {sc acq_rel} (cta cluster gpu sys)", "";
        "nanosleep (u32)", "a:0";
        "prefetch {global local} (L1 L2)", "[m]";
        "griddepcontrol (wait launch_dependents)", "";
    }
    CpAsync {
        "cp async ca ($shared) global {L2::64B L2::128B L2::256B}", "[m] [n] i:u32 z:u32?";
        "cp async cg ($shared) global {L2::64B L2::128B L2::256B}", "[m] [n] i:u32 z:u32?";
    }
    CpCommit { "cp async commit_group", ""; }
    CpWait { "cp async wait_group", "i:u32"; }
    CpWaitAll { "cp async wait_all", ""; }
    Ldmatrix { "ldmatrix sync aligned m8n8 (x1 x2 x4) {trans} ($shared) b16", "v:b32 [m]"; }
    Stmatrix { "stmatrix sync aligned m8n8 (x1 x2 x4) {trans} ($shared) b16", "[m] s:b32"; }
    Mma {
        "mma sync aligned (m16n8k8 m16n8k16) row col (f16 f32) f16 f16 (f16 f32)", "v:b32 s:b32 s:b32 s:b32";
        "mma sync aligned (m16n8k8 m16n8k16) row col f32 bf16 bf16 f32", "v:b32 s:b32 s:b32 s:b32";
        "mma sync aligned (m16n8k4 m16n8k8) row col f32 tf32 tf32 f32", "v:b32 s:b32 s:b32 s:b32";
        "mma sync aligned m16n8k32 row col f32 (e4m3 e5m2) (e4m3 e5m2) f32", "v:b32 s:b32 s:b32 s:b32";
        "mma sync aligned (m8n8k16 m16n8k16 m16n8k32) row col {satfinite} s32 (s8 u8) (s8 u8) s32", "v:b32 s:b32 s:b32 s:b32";
        "mma sync aligned m8n8k4 row col {$round} f64 f64 f64 f64", "v:f64 s:f64 s:f64 s:f64";
    }
    Bar {
        "bar {cta} sync", "a:u32 b:u32?";
        "barrier {cta} sync {aligned}", "a:u32 b:u32?";
    }
    BarArrive {
        "bar {cta} arrive", "a:u32 b:u32";
        "barrier {cta} arrive {aligned}", "a:u32 b:u32";
    }
    BarWarp { "bar warp sync", "a:u32"; }
    Shfl { "shfl sync (up down bfly idx) (b32)", "dp:0 a:0 b:u32 c:u32 e:u32"; }
    Vote { "vote sync (all any uni) (pred)", "d:0 !a:pred e:u32"; }
    Ballot { "vote sync ballot (b32)", "d:0 !a:pred e:u32"; }
    MatchAny { "match any sync (b32 b64)", "d:b32 a:0 e:u32"; }
    Activemask { "activemask (b32)", "d:0"; }
    Redux {
        "redux sync (add min max) (u32 s32)", "d:0 a:0 e:u32";
        "redux sync (and or xor) (b32)", "d:0 a:0 e:u32";
    }
    Bra { "bra {uni}", "l:pred"; }
    Call { "call {uni}", "f:pred"; }
    Ret { "ret {uni}", ""; }
    Exit { "exit", ""; }
    Trap { "trap", ""; }
}

/// A row, ready to be compared with names.
pub(crate) struct Form {
    pub(crate) row: &'static Row,
    groups: Vec<Group>,
    pub(crate) operands: Vec<OperandRule>,
}

struct Group {
    choices: Vec<&'static str>,
    optional: bool,
}

impl Form {
    fn new(row: &'static Row) -> (&'static str, Form) {
        let (opcode, rest) = row.syntax.split_once(' ').unwrap_or((row.syntax, ""));
        let mut groups = Vec::new();
        let mut rest = rest.trim_start();
        while !rest.is_empty() {
            let (group, optional, behind) = match rest.as_bytes()[0] {
                b'(' => bracketed(rest, ')', false),
                b'{' => bracketed(rest, '}', true),
                _ => {
                    let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
                    (word, false, behind)
                }
            };
            groups.push(Group { choices: group.split_whitespace().flat_map(expand).collect(), optional });
            rest = behind.trim_start();
        }
        (opcode, Form { row, groups, operands: row.operands.split_whitespace().map(operand_rule).collect() })
    }

    /// Whether the modifiers fit the row.
    fn fits(&self, modifiers: &[&str]) -> bool {
        let mut rest = modifiers;
        for group in &self.groups {
            match rest.split_first() {
                Some((first, behind)) if group.choices.contains(first) => rest = behind,
                _ if group.optional => {}
                _ => return false,
            }
        }
        rest.is_empty()
    }
}

fn bracketed(text: &'static str, close: char, optional: bool) -> (&'static str, bool, &'static str) {
    let (inside, behind) = text[1..].split_once(close).expect("rows close what they open");
    (inside, optional, behind)
}

fn expand(word: &'static str) -> Vec<&'static str> {
    match SETS.iter().find(|(name, _)| *name == word) {
        Some((_, set)) => set.split(' ').collect(),
        None => vec![word],
    }
}

fn operand_rule(text: &'static str) -> OperandRule {
    let optional = text.ends_with('?');
    let text = text.trim_end_matches('?');
    let (role, ty) = text.split_once(':').unwrap_or((text, "b64"));
    let ty = match ty {
        "0" => TypeRule::Nth(0),
        "1" => TypeRule::Nth(1),
        "w" => TypeRule::Wide,
        _ => TypeRule::Is(Type::from_name(ty).expect("rows name types")),
    };
    let role = match role {
        "d" => Role::Result,
        "dp" => Role::ResultAndPredicate,
        "v" => Role::Results,
        "s" => Role::Sources,
        "n" => Role::Number,
        "[m]" | "[n]" => Role::Address,
        "l" => Role::Label,
        "f" => Role::Function,
        _ => Role::Source,
    };
    OperandRule { role, ty, optional }
}

/// The forms of each opcode, in the order of the table.
fn forms() -> &'static HashMap<&'static str, Vec<Form>> {
    static FORMS: OnceLock<HashMap<&'static str, Vec<Form>>> = OnceLock::new();
    FORMS.get_or_init(|| {
        let mut all: HashMap<&'static str, Vec<Form>> = HashMap::new();
        for row in ROWS {
            let (opcode, form) = Form::new(row);
            all.entry(opcode).or_default().push(form);
        }
        all
    })
}

/// The form of an instruction and what its modifiers say.
pub(crate) fn find(name: &str) -> Result<(&'static Form, Mods), String> {
    let mut parts = name.split('.');
    let opcode = parts.next().unwrap_or_default();
    let modifiers: Vec<&str> = parts.collect();
    let known = forms().get(opcode).ok_or_else(|| format!("'{opcode}' is no instruction that the machine knows"))?;
    let form = known.iter().find(|form| form.fits(&modifiers));
    let form = form.ok_or_else(|| {
        let syntaxes: Vec<&str> = known.iter().map(|form| form.row.syntax).collect();
        format!("'{name}' is no form that the machine knows; it knows: {}", syntaxes.join(" | "))
    })?;
    Ok((form, Mods::new(&modifiers)))
}

/// Every name that the rows allow, at most `limit` of each row.
pub fn names(row: &'static Row, limit: usize) -> Vec<String> {
    let (opcode, form) = Form::new(row);
    let mut all = vec![opcode.to_owned()];
    for group in &form.groups {
        let choices = group.optional.then_some("").into_iter().chain(group.choices.iter().copied());
        let choices: Vec<&str> = choices.collect();
        let extended = choices
            .iter()
            .flat_map(|choice| all.iter().map(move |name| if choice.is_empty() { name.clone() } else { format!("{name}.{choice}") }));
        all = extended.take(limit).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_a_row_finds_a_row() {
        for row in ROWS {
            for name in names(row, 200) {
                let (form, _) = find(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(form.row.kind, row.kind, "{name}");
            }
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["nix", "add", "add.f128", "add.f32.rn", "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", "ld.global"] {
            assert!(find(name).is_err(), "{name}");
        }
    }
}
