//! What tokens order gets barriers, what they do not order gets none; strong accesses and atomic updates.

use crate::support::{kernel, run};
use tilewright_gpu::Target;

/// A kernel on 256 numbers at `%p`; its view `%w` has tiles of 256, and `%x` is a tile.
fn text(body: &str) -> String {
    format!(
        "entry @k(%p: tile<ptr<i32>>) {{
            %t0 = make_token : token
            %zero = constant <i32: 0> : tile<i32>
            %one = constant <i32: 1> : tile<i32>
            %x = iota : tile<256xi32>
            %tv = make_tensor_view %p, shape = [256], strides = [1] : tile<ptr<i32>> -> tensor_view<256xi32, strides=[1]>
            %w = make_partition_view %tv : partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>
            {body}
            return
        }}"
    )
}

/// Reads, and stores what was read outside of the tensor: what nobody needs is not read.
fn load(result: &str, token: &str) -> String {
    format!(
        "%{result}, %{result}t = load_view_tko weak %w[%zero] token = %{token} : \
         partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> tile<256xi32>, token
         %{result}s = store_view_tko weak %{result}, %w[%one] token = %t0 : \
         tile<256xi32>, partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token\n"
    )
}

fn store(result: &str, token: &str) -> String {
    format!(
        "%{result} = store_view_tko weak %x, %w[%zero] token = %{token} : \
         tile<256xi32>, partition_view<tile=(256), tensor_view<256xi32, strides=[1]>>, tile<i32> -> token\n"
    )
}

fn barriers(body: &str) -> usize {
    kernel(&text(body), Target::Sm80).ptx().matches("bar.sync").count()
}

#[test]
fn barriers_are_where_tokens_order_accesses_of_which_one_writes() {
    let (a, b) = (load("a", "t0"), load("b", "at"));
    assert_eq!(barriers(&format!("{}{}", store("s", "t0"), store("u", "t0"))), 0, "no order");
    assert_eq!(barriers(&format!("{}{}", store("s", "t0"), load("a", "t0"))), 0, "no order");
    assert_eq!(barriers(&format!("{a}{b}{}", store("s", "bt"))), 1, "a write behind reads");
    assert_eq!(barriers(&format!("{a}{b}{}", store("s", "t0"))), 0, "reads");
    assert_eq!(barriers(&format!("{}{}", store("s", "t0"), load("a", "s"))), 1, "a read behind a write");
    assert_eq!(barriers(&format!("{}{}", store("s", "t0"), store("u", "s"))), 1, "a write behind a write");
    let join = format!("{}%j = join_tokens %t0, %s : token\n{}", store("s", "t0"), load("a", "j"));
    assert_eq!(barriers(&join), 1, "joined");
    let once = format!("{}{}{}", store("s", "t0"), load("a", "s"), load("b", "s"));
    assert_eq!(barriers(&once), 1, "one barrier is enough for both reads");
    let branch = format!(
        "{}%bx, %by, %bz = get_tile_block_id : tile<i32>
        %yes = cmpi equal %bx, %zero, signed : tile<i32> -> tile<i1>\nif %yes {{ {} yield }} {}",
        store("s", "t0"),
        load("a", "s"),
        load("b", "s")
    );
    assert_eq!(barriers(&branch), 2, "a barrier in a branch is not on every way");
}

#[test]
fn strong_accesses_say_order_and_scope() {
    let access = |order: &str| {
        let body = format!("%y, %t = load_ptr_tko {order} %p token=%t0 : tile<ptr<i32>> -> tile<i32>, token\n{}", load("a", "t"));
        kernel(&text(&body), Target::Sm80).ptx()
    };
    for (order, expected) in [
        ("relaxed tl_blk", "ld.relaxed.cta.global.u32"),
        ("acquire device", "ld.acquire.gpu.global.u32"),
        ("acquire sys", "ld.acquire.sys.global.u32"),
    ] {
        let ptx = access(order);
        assert_eq!(ptx.matches(expected).count(), 1, "{ptx}");
        assert!(ptx.contains(&format!("@%p0 {expected}")), "one thread reads: {ptx}");
    }
    let body = format!("{}%t = store_ptr_tko release device %p, %one token=%s : tile<ptr<i32>>, tile<i32> -> token", store("s", "t0"));
    let ptx = kernel(&text(&body), Target::Sm80).ptx();
    let [barrier, release] = ["bar.sync", "st.release.gpu.global.u32"].map(|what| ptx.find(what).expect(what));
    assert!(barrier < release, "what others wrote is released too: {ptx}");
}

#[test]
fn sums_of_bf16_are_exchanges_before_sm_90() {
    let text = "entry @k(%p: tile<ptr<bf16>>) {
        %t0 = make_token : token
        %one = constant <bf16: 1.0> : tile<256xbf16>
        %p1 = reshape %p : tile<ptr<bf16>> -> tile<1xptr<bf16>>
        %q = broadcast %p1 : tile<1xptr<bf16>> -> tile<256xptr<bf16>>
        %i = iota : tile<256xi32>
        %three = constant <i32: 3> : tile<256xi32>
        %four = constant <i32: 4> : tile<256xi32>
        %at = andi %i, %three : tile<256xi32>
        %places = offset %q, %at : tile<256xptr<bf16>>, tile<256xi32> -> tile<256xptr<bf16>>
        %mask = cmpi not_equal %at, %three, signed : tile<256xi32> -> tile<256xi1>
        %old, %t = atomic_rmw_tko relaxed device %places, addf, %one, %mask token=%t0 : tile<256xptr<bf16>>, tile<256xbf16>, tile<256xi1> -> tile<256xbf16>, token
        return
    }";
    for (target, instruction) in [(Target::Sm80, "cas.b16"), (Target::Sm90, "add.noftz.bf16")] {
        assert!(kernel(text, target).ptx().contains(instruction));
        for seed in 0..2 {
            let mut buffer = vec![0; 8];
            run(text, target, [2, 1, 1], &mut buffer, seed);
            // 128 is 0x4300.
            assert_eq!(buffer, [0, 0x43, 0, 0x43, 0, 0x43, 0, 0], "{target}");
        }
    }
}
