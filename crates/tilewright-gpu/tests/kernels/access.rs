//! Accesses are as wide as alignment, contiguity and the edges of tensors allow, and what a loop does not change is computed in front of it.

use crate::support::{kernel, run};
use tilewright_gpu::Target;

/// Copies a row of `%n` numbers at `%p` to the place 4096 bytes behind, in tiles of 1024; `facts` are what is known of both numbers.
fn copy(ty: &str, pointer: &str, extent: &str) -> String {
    let size = if ty == "f16" { 2 } else { 4 };
    let far = 4096 / size;
    format!(
        "entry @k(%p0: tile<ptr<{ty}>>) {{
            %p = assume {pointer}, %p0 : tile<ptr<{ty}>>
            %far = constant <i32: {far}> : tile<i32>
            %q = offset %p, %far : tile<ptr<{ty}>>, tile<i32> -> tile<ptr<{ty}>>
            %x, %y, %z = get_tile_block_id : tile<i32>
            %from = make_tensor_view %p, shape = [{extent}], strides = [1] : tile<ptr<{ty}>> -> tensor_view<{extent}x{ty}, strides=[1]>
            %to = make_tensor_view %q, shape = [{extent}], strides = [1] : tile<ptr<{ty}>> -> tensor_view<{extent}x{ty}, strides=[1]>
            %a = make_partition_view %from : partition_view<tile=(1024), tensor_view<{extent}x{ty}, strides=[1]>>
            %b = make_partition_view %to : partition_view<tile=(1024), tensor_view<{extent}x{ty}, strides=[1]>>
            %t0 = make_token : token
            %v, %t1 = load_view_tko weak %a[%x] token = %t0 : partition_view<tile=(1024), tensor_view<{extent}x{ty}, strides=[1]>>, tile<i32> -> tile<1024x{ty}>, token
            %t2 = store_view_tko weak %v, %b[%x] token = %t1 : tile<1024x{ty}>, partition_view<tile=(1024), tensor_view<{extent}x{ty}, strides=[1]>>, tile<i32> -> token
            return
        }}"
    )
}

/// The forms of the accesses to global memory.
fn accesses(text: &str) -> Vec<String> {
    let ptx = kernel(text, Target::Sm80).ptx();
    let forms = ptx.lines().flat_map(|line| line.split_whitespace()).filter(|word| word.contains(".global") && !word.starts_with('.'));
    let mut forms: Vec<String> = forms.map(str::to_owned).collect();
    forms.dedup();
    forms
}

#[test]
fn aligned_rows_are_accessed_16_bytes_at_a_time() {
    let wide = |ty: &str| vec![format!("ld.global.v4.{ty}"), format!("st.global.v4.{ty}")];
    assert_eq!(accesses(&copy("f32", "div_by<16>", "1024")), wide("f32"));
    assert_eq!(accesses(&copy("f16", "div_by<16>", "1024")), wide("u32"));
    // The last tile ends behind the tensor, at a multiple of four numbers.
    assert_eq!(accesses(&copy("f32", "div_by<16>", "900")), wide("f32"));
}

#[test]
fn what_is_not_known_to_be_aligned_is_not_accessed_at_once() {
    assert_eq!(accesses(&copy("f32", "div_by<4>", "1024")), ["ld.global.f32", "st.global.f32"]);
    assert_eq!(accesses(&copy("f32", "div_by<8>", "1024")), ["ld.global.v2.f32", "st.global.v2.f32"]);
    assert_eq!(accesses(&copy("f32", "div_by<16>", "901")), ["ld.global.f32", "st.global.f32"]);
    assert_eq!(accesses(&copy("f16", "div_by<16>", "902")), ["ld.global.u32", "st.global.u32"]);
}

#[test]
fn wide_accesses_stop_at_the_edge() {
    for (ty, size, extent) in [("f32", 4, 900), ("f16", 2, 902), ("f32", 4, 901)] {
        let mut buffer: Vec<u8> = (0..8192).map(|i| (i % 251) as u8).collect();
        let before = buffer.clone();
        run(&copy(ty, "div_by<16>", &extent.to_string()), Target::Sm80, [1, 1, 1], &mut buffer, 0);
        let end = extent * size;
        assert_eq!(buffer[4096..4096 + end], before[..end]);
        assert_eq!(buffer[4096 + end..], before[4096 + end..]);
    }
}

#[test]
fn addresses_that_a_loop_does_not_change_are_computed_in_front_of_it() {
    let text = "entry @k(%p0: tile<ptr<f32>>, %n: tile<i32>) {
        %p = assume div_by<16>, %p0 : tile<ptr<f32>>
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %zeros = constant <f32: 0.0> : tile<512xf32>
        %v = make_tensor_view %p, shape = [65536], strides = [1] : tile<ptr<f32>> -> tensor_view<65536xf32, strides=[1]>
        %a = make_partition_view %v : partition_view<tile=(512), tensor_view<65536xf32, strides=[1]>>
        %t0 = make_token : token
        %sum = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%s = %zeros) -> (tile<512xf32>) {
            %x, %t1 = load_view_tko weak %a[%i] token = %t0 : partition_view<tile=(512), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> tile<512xf32>, token
            %next = addf %s, %x rounding<nearest_even> : tile<512xf32>
            continue %next : tile<512xf32>
        }
        %t2 = store_view_tko weak %sum, %a[%zero] token = %t0 : tile<512xf32>, partition_view<tile=(512), tensor_view<65536xf32, strides=[1]>>, tile<i32> -> token
        return
    }";
    let ptx = kernel(text, Target::Sm80).ptx();
    let (header, rest) = ptx.split_once("ld.global.v4.f32").expect("the load");
    let loop_body = header.rsplit("$L_").next().expect("a label").to_owned() + rest.split("st.global").next().expect("the store");
    assert!(!loop_body.contains("%tid") && !loop_body.contains("shr.u32"), "{ptx}");
    // The sums stay in their registers.
    assert!(!loop_body.contains("mov.f32 %f0"), "{ptx}");
    assert_eq!(loop_body.matches("add.rn.f32").count(), 4, "{ptx}");
}
