//! Reading and printing PTX, and what is refused.

use tilewright_ptx::{machine::Program, parse};

const MODULE: &str = r#"
.version 8.0
.target sm_80, texmode_independent
.address_size 64
.file 1 "a \"b\".py", 12, 34
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .global .align 8 .b8 g[64];
.global .align 4 .u32 h[2][3] = {1, 2, {3, 4}};
.global .u64 at = generic(g)+8;
.const .f32 c = 0f3F800000;
.extern .shared .align 16 .b8 dyn[];
.visible .entry k(
  .param .u64 .ptr .global .align 16 p,
  .param .align 4 .b8 q[12],
  .hidden .param .align 64 .b8 map[128]
)
.maxntid 128, 1, 1
.minnctapersm 2
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>, %x;
  .loc 1 2 3, function_name $L__info_string0, inlined_at 1 4 5
  .pragma "nounroll";
$L: @!%p1 bra.uni $L;
  { .reg .b16 %h; mov.b32 {_, %h}, %r1; }
  ld.global.v2.b32 {%r0, %r1}, [g+-4];
  setp.lt.and.s32 %p0|%p1, %r0, -5, !%p1;
  add.f64 %d, 0d3FF0000000000000, 1.5;
  ld.b32 %r0, [16];
  call (r), f, (a, b);
  cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [map+8, {%r0, 4}], [%r0];
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {%r0, %r1}, %r1], [g+16];
  ret;
}
.section .debug_str { $L__info_string0: .b8 107 }
"#;

#[test]
fn what_is_printed_reads_as_the_same() {
    let module = parse(MODULE).unwrap();
    let text = module.to_string();
    assert_eq!(parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).to_string(), text);
    for kept in [
        "{_, %h}",
        "[g-4]",
        "!%p1",
        "%p0|%p1",
        "generic(g)+8",
        "dyn[]",
        "inlined_at 1 4 5",
        "[16]",
        "107",
        "{1, 2, 3, 4}",
        "[map+8, {%r0, 4}]",
        ", %r1], [g+16]",
        ".hidden .param .align 64",
    ] {
        assert!(text.contains(kept), "{kept} is lost in\n{text}");
    }
}

#[test]
fn errors_say_where() {
    let body = |body: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n.reqntid 1\n{{\n.reg .b32 %r<2>;\n.reg .b64 %d;\n.reg .pred %p;\n{body}\n}}"
        )
    };
    for (text, place, what) in [
        (String::new(), "1:1", "'.version'"),
        (".version x".to_owned(), "1:10", "a version"),
        (body("add.s32 %r0, %r1 %r1;"), "10:18", "','"),
        (body("add.s32 %r0, %r1, %r1"), "11:1", "','"),
        (body("{{{"), "11:2", "a statement"),
        (body(".reg .align 3 .b32 %x;"), "10:13", "alignment"),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.to_string().contains(place) && error.message.contains(what), "{text}: {error}");
    }
    for (line, what) in [
        ("nix.s32 %r0;", "no instruction"),
        ("add.b32 %r0, %r0, %r0;", "no form"),
        ("add.s32 %r0, %r1;", "operands"),
        ("add.s32 %r0, %r9, %r1;", "'%r9'"),
        ("add.s64 %d, %d, %r1;", "32 bits"),
        ("bra nowhere;", "label"),
        ("mov.b64 %d, nothing;", "'nothing'"),
        ("ld.global.v2.b32 {%r0}, [%d];", "registers"),
        ("@%r0 ret;", "predicate"),
        ("call f;", "'f'"),
        (".shared .b8 x[999999];", "shared"),
        (".reg .b32 %y<99999999>;", "registers"),
    ] {
        let module = parse(&body(line)).unwrap();
        let error = Program::new(&module).expect_err(line);
        assert!(error.message.contains(what) && error.position.line == 10, "{line}: {error}");
    }
}

#[test]
fn functions_that_call_themselves_are_refused() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.func f()\n{\ncall g;\n}\n.func g()\n{\ncall f;\n}\n";
    assert!(Program::new(&parse(text).unwrap()).unwrap_err().message.contains("call themselves"));
}

/// Changed texts are read or refused, and never do harm.
#[test]
fn mutations_do_no_harm() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..4000 {
        let mut bytes = MODULE.as_bytes().to_vec();
        for _ in 0..1 + random(4) {
            let at = random(bytes.len());
            match random(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b" {}[](),;.:<>=%$\"0x9aA\n"[random(23)],
                _ => {
                    let copied = bytes[at..(at + random(40)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, copied);
                }
            }
        }
        if let Ok(module) = parse(&String::from_utf8_lossy(&bytes)) {
            let text = module.to_string();
            assert_eq!(parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).to_string(), text);
            drop(Program::new(&module));
        }
    }
}
