//! Operations with other operands, results, attributes or regions, as text: for every element type, and every keyword. What does
//! not go together is for the verifier to say.

use tilewright_ir::{AtomicRMWMode, EnumValue, MemoryOrderingSemantics, MemoryScope, MultimemReductionKind, PaddingValue, Scalar};

/// Texts of modules with an entry `k`.
pub(crate) fn texts() -> Vec<String> {
    let mut texts = others();
    for element in Scalar::all() {
        texts.extend(shapes(element));
        texts.extend(control(element));
        if element != Scalar::I4 {
            texts.extend(constants(element));
            texts.extend(folds(element));
            texts.extend(pointers(element));
            texts.extend(views(element));
            texts.extend(atomics(element));
            texts.extend(multimem(element));
        }
    }
    texts
}

fn keywords(values: &'static [EnumValue]) -> impl Iterator<Item = &'static str> {
    values.iter().map(|value| value.keyword)
}

/// Orderings with the scopes that they need.
fn orders() -> Vec<String> {
    let strong = keywords(MemoryOrderingSemantics::VALUES).filter(|o| *o != "weak");
    let scoped = strong.flat_map(|order| keywords(MemoryScope::VALUES).map(move |scope| format!("{order} {scope}")));
    ["weak".to_owned()].into_iter().chain(scoped).collect()
}

/// An entry whose body sees a pointer `%p` to elements, a tile `%x` of 2x4 of them, a tile `%v` of 8, and some numbers.
fn entry(element: Scalar, body: &str) -> String {
    let t = element.name();
    let (param, fill) = if element == Scalar::F4E2M1FN {
        ("i8", "%v = unpack %filled : tile<4xi8> -> tile<8xf4E2M1FN>".to_owned())
    } else {
        (t, format!("%v = broadcast %one : tile<1x{t}> -> tile<8x{t}>"))
    };
    // There are no pointers to i4.
    let pointee = if element == Scalar::I4 { "i8" } else { t };
    format!(
        "entry @k(%p: tile<ptr<{pointee}>>, %scalar: tile<{param}>) {{
            %zero = constant <i32: 0> : tile<i32>
            %n1 = constant <i32: 1> : tile<i32>
            %n2 = constant <i32: 2> : tile<i32>
            %yes = constant <i1: 1> : tile<i1>
            %mask = constant <i1: 1> : tile<8xi1>
            %lanes = iota : tile<8xi32>
            %one = reshape %scalar : tile<{param}> -> tile<1x{param}>
            %filled = broadcast %one : tile<1x{param}> -> tile<4x{param}>
            {fill}
            %x = reshape %v : tile<8x{t}> -> tile<2x4x{t}>
            %t0 = make_token : token
            {body}
        }}"
    )
}

fn shapes(element: Scalar) -> Vec<String> {
    let t = element.name();
    vec![
        entry(element, &format!("%y = permute %x [1, 0] : tile<2x4x{t}> -> tile<4x2x{t}>")),
        entry(element, &format!("%y = cat %x, %x dim = 0 : tile<2x4x{t}>, tile<2x4x{t}> -> tile<4x4x{t}>")),
        entry(element, &format!("%y = extract %x[%zero, %n1] : tile<2x4x{t}> -> tile<2x2x{t}>")),
        entry(
            element,
            &format!(
                "%y = extract %x[%zero, %n1] : tile<2x4x{t}> -> tile<2x2x{t}>\n%z = insert %y, %x[%zero, %n1] : tile<2x2x{t}>, tile<2x4x{t}>"
            ),
        ),
        entry(element, &format!("%y = assume same_elements<[1, 2]>, %x : tile<2x4x{t}>")),
        entry(element, &format!("%y = assume div_by<1>, %x : tile<2x4x{t}>")),
        entry(element, &format!("%y = assume bounded<0, ?>, %x : tile<2x4x{t}>")),
        entry(
            element,
            &format!(
                "%y = print_tko \"%d %5.2f %x %c %%\", %x, %x, %x, %x : tile<2x4x{t}>, tile<2x4x{t}>, tile<2x4x{t}>, tile<2x4x{t}> -> token"
            ),
        ),
    ]
}

fn constants(element: Scalar) -> Vec<String> {
    let (t, value) = (element.name(), if element.is_int() { "1" } else { "1.0" });
    vec![
        format!("entry @k() {{ %c = constant <{t}: {value}> : tile<4x{t}> }}"),
        format!("entry @k() {{ %c = constant <{t}: [{value}, {value}]> : tile<2x{t}> }}"),
        format!("global @g <{t}: [{value}, {value}]> : tile<2x{t}>\nentry @k() {{ %g = get_global @g : tile<ptr<{t}>> }}"),
        entry(element, &format!("%a = alloca num_elem = 3, alignment = 16 : tile<ptr<{t}>>")),
        entry(element, &format!("%a = alloca num_elem = 3, alignment = 16 global : tile<ptr<{t}>>")),
    ]
}

fn control(element: Scalar) -> Vec<String> {
    let tile = format!("tile<2x4x{element}>");
    let mut texts = Vec::new();
    for unsigned in ["", "unsigned "] {
        texts.push(entry(
            element,
            &format!(
                "%y, %s = for {unsigned}%i in (%zero to %n2, step %n1) : tile<i32> iter_values(%a = %x, %t = %t0) -> ({tile}, token) {{
                    continue %a, %t : {tile}, token
                }}"
            ),
        ));
    }
    texts.push(entry(
        element,
        &format!(
            "%y, %s = loop iter_values(%a = %x, %t = %t0) : {tile}, token -> {tile}, token {{
                if %yes {{ break %a, %t : {tile}, token }}
                continue %a, %t : {tile}, token
            }}"
        ),
    ));
    texts.push(entry(element, "loop { if %yes { return } continue }"));
    texts.push(entry(
        element,
        &format!("%y, %s = if %yes -> ({tile}, token) {{ yield %x, %t0 : {tile}, token }} else {{ yield %x, %t0 : {tile}, token }}"),
    ));
    texts
}

fn folds(element: Scalar) -> Vec<String> {
    let t = element.name();
    let identity = if element.is_int() { format!("0 : {t}") } else { format!("1.0 : {t}") };
    let bodies = [
        "yield %a : tile<T>".to_owned(),
        "%c = if %yes -> (tile<T>) { yield %a : tile<T> } else { yield %b : tile<T> }\nyield %c : tile<T>".to_owned(),
        "%c = select %yes, %b, %a : tile<i1>, tile<T>\nyield %c : tile<T>".to_owned(),
        "%c = reshape %a : tile<T> -> tile<1xT>
         %d = cat %c, %c dim = 0 : tile<1xT>, tile<1xT> -> tile<2xT>
         %e = extract %d[%n1] : tile<2xT> -> tile<1xT>
         %f = reshape %e : tile<1xT> -> tile<T>
         yield %f : tile<T>"
            .to_owned(),
        "%c = reshape %a : tile<T> -> tile<1x1xT>
         %d = permute %c [1, 0] : tile<1x1xT> -> tile<1x1xT>
         %e = broadcast %d : tile<1x1xT> -> tile<2x4xT>
         %f = reduce %e dim=0 identities=[IDENTITY] : tile<2x4xT> -> tile<4xT> (%g: tile<T>, %h: tile<T>) { yield %h : tile<T> }
         %i = reduce %f dim=0 identities=[IDENTITY] : tile<4xT> -> tile<T> (%g: tile<T>, %h: tile<T>) { yield %g : tile<T> }
         yield %i : tile<T>"
            .to_owned(),
    ];
    let mut texts = Vec::new();
    for body in bodies {
        let body = body.replace("IDENTITY", &identity).replace('T', t);
        for dim in [0, 1] {
            let result = ["tile<4xT>", "tile<2xT>"][dim].replace('T', t);
            let head = format!("dim={dim} identities=[{identity}] : tile<2x4x{t}> -> {result} (%a: tile<{t}>, %b: tile<{t}>)");
            texts.push(entry(element, &format!("%y = reduce %x {head} {{ {body} }}")));
            for reverse in [false, true] {
                let head = format!("dim={dim} reverse={reverse} identities=[{identity}] : tile<2x4x{t}> -> tile<2x4x{t}>");
                texts.push(entry(element, &format!("%y = scan %x {head} (%a: tile<{t}>, %b: tile<{t}>) {{ {body} }}")));
            }
        }
    }
    texts
}

fn pointers(element: Scalar) -> Vec<String> {
    let t = element.name();
    let places = format!(
        "%p1 = reshape %p : tile<ptr<{t}>> -> tile<1xptr<{t}>>
         %p8 = broadcast %p1 : tile<1xptr<{t}>> -> tile<8xptr<{t}>>
         %q = offset %p8, %lanes : tile<8xptr<{t}>>, tile<8xi32> -> tile<8xptr<{t}>>"
    );
    // Pointers to packed elements are single.
    if element == Scalar::F4E2M1FN {
        return vec![entry(element, &format!("%q = offset %p, %n1 : tile<ptr<{t}>>, tile<i32> -> tile<ptr<{t}>>"))];
    }
    let (from, tile) = (format!("tile<8xptr<{t}>>"), format!("tile<8x{t}>"));
    let mut texts = Vec::new();
    for order in orders() {
        for operation in [
            format!("%y, %t = load_ptr_tko {order} %q token=%t0 : {from} -> {tile}, token"),
            format!("%y, %t = load_ptr_tko {order} %q, %mask : {from}, tile<8xi1> -> {tile}, token"),
            format!("%y, %t = load_ptr_tko {order} %q, %mask, %v : {from}, tile<8xi1>, {tile} -> {tile}, token"),
            format!("%t = store_ptr_tko {order} %q, %v : {from}, {tile} -> token"),
            format!("%t = store_ptr_tko {order} %q, %v, %mask token=%t0 : {from}, {tile}, tile<8xi1> -> token"),
        ] {
            texts.push(entry(element, &format!("{places}\n{operation}")));
        }
    }
    texts
}

/// A view of 4x8 elements at `%p`, its type, and the type of its tiles.
fn view_kinds(element: Scalar) -> Vec<(String, String)> {
    let t = element.name();
    let tensor = format!("tensor_view<4x8x{t}, strides=[8,1]>");
    let make = format!("%tv = make_tensor_view %p, shape = [4, 8], strides = [8, 1] : tile<ptr<{t}>> -> {tensor}");
    let paddings = [String::new()].into_iter().chain(keywords(PaddingValue::VALUES).map(|p| format!("padding_value = {p}, ")));
    let mut kinds = Vec::new();
    for padding in paddings {
        for (opcode, ty) in [
            ("make_partition_view", format!("partition_view<tile=(2x4), {padding}{tensor}>")),
            ("make_partition_view", format!("partition_view<tile=(2x4), {padding}{tensor}, dim_map=[1, 0]>")),
            ("make_strided_view", format!("strided_view<tile=(2x4), traversal_strides=[1,2], {padding}{tensor}>")),
            ("make_gather_scatter_view", format!("gather_scatter_view<tile=(2x4), {padding}{tensor}, sparse_dim=0>")),
        ] {
            kinds.push((format!("{make}\n%w = {opcode} %tv : {ty}"), ty));
        }
    }
    kinds
}

fn views(element: Scalar) -> Vec<String> {
    let mut texts = Vec::new();
    let tile = format!("tile<2x4x{element}>");
    for (make, ty) in view_kinds(element) {
        let gathers = ty.starts_with("gather");
        let (index, types) = if gathers { ("%rows, %zero", "tile<2xi32>, tile<i32>") } else { ("%zero, %n1", "tile<i32>") };
        let rows = "%rows = iota : tile<2xi32>";
        for order in orders() {
            for operation in [
                format!("%y, %t = load_view_tko {order} %w[{index}] token = %t0 : {ty}, {types} -> {tile}, token"),
                format!("%y, %t = load_view_tko {order} %w[{index}] inbounds = [true, false] : {ty}, {types} -> {tile}, token"),
                format!("%t = store_view_tko {order} %x, %w[{index}] : {tile}, {ty}, {types} -> token"),
            ] {
                texts.push(entry(element, &format!("{rows}\n{make}\n{operation}")));
            }
        }
        texts.push(entry(element, &format!("{make}\n%e:2 = get_index_space_shape %w : {ty} -> tile<i64>")));
    }
    let dynamic = format!("tensor_view<?x8x{element}, strides=[?,1]>");
    let make = format!("%tv = make_tensor_view %p, shape = [%n2, 8], strides = [%n2, 1] : tile<i32> -> {dynamic}");
    texts.push(entry(element, &format!("{make}\n%e:2 = get_tensor_shape %tv : {dynamic} -> tile<i8>")));
    texts
}

fn atomics(element: Scalar) -> Vec<String> {
    let t = element.name();
    if element == Scalar::F4E2M1FN {
        return Vec::new();
    }
    let places =
        format!("%p1 = reshape %p : tile<ptr<{t}>> -> tile<1xptr<{t}>>\n%q = broadcast %p1 : tile<1xptr<{t}>> -> tile<8xptr<{t}>>");
    let (from, tile) = (format!("tile<8xptr<{t}>>"), format!("tile<8x{t}>"));
    let mut texts = Vec::new();
    for order in orders().iter().skip(1) {
        texts.push(format!("%y, %t = atomic_cas_tko {order} %q, %v, %v : {from}, {tile} -> {tile}, token"));
        texts.push(format!("%y, %t = atomic_cas_tko {order} %q, %v, %v, %mask token=%t0 : {from}, {tile}, tile<8xi1> -> {tile}, token"));
        for mode in keywords(AtomicRMWMode::VALUES) {
            texts.push(format!("%y, %t = atomic_rmw_tko {order} %q, {mode}, %v, %mask : {from}, {tile}, tile<8xi1> -> {tile}, token"));
        }
    }
    let (make, ty) = view_kinds(element).swap_remove(0);
    for (mode, scope) in keywords(AtomicRMWMode::VALUES).flat_map(|m| keywords(MemoryScope::VALUES).map(move |s| (m, s))) {
        let operation =
            format!("%t = atomic_red_view_tko relaxed {scope} %w[%zero, %n1], {mode}, %x : tile<2x4x{t}>, {ty}, tile<i32> -> token");
        texts.push(format!("{make}\n{operation}"));
    }
    texts.into_iter().map(|text| entry(element, &format!("{places}\n{text}"))).collect()
}

fn multimem(element: Scalar) -> Vec<String> {
    let t = element.name();
    let tensor = format!("tensor_view<4x8x{t}, strides=[8,1], #cuda_tile.ptr_attr<multicast>>");
    let view = format!("partition_view<tile=(2x4), {tensor}>");
    let make = format!(
        "%address = ptr_to_int %p : tile<ptr<{t}>> -> tile<i64>
         %m = int_to_ptr %address : tile<i64> -> tile<ptr<{t}, <multicast>>>
         %tv = make_tensor_view %m, shape = [4, 8], strides = [8, 1] : tile<ptr<{t}, <multicast>>> -> {tensor}
         %w = make_partition_view %tv : {view}"
    );
    let tile = format!("tile<2x4x{t}>");
    let mut texts = Vec::new();
    for order in orders() {
        texts.push(format!("%t = multimem_store_view_tko {order} %w, %x[%zero, %n1] : {view}, {tile}, tile<i32> -> token"));
        for kind in keywords(MultimemReductionKind::VALUES) {
            let reduction = format!("attributes {{reduction = #cuda_tile.multimem_reduction_kind<{kind}>}}");
            if order == "weak" {
                continue;
            }
            texts.push(format!(
                "%y, %t = multimem_load_reduce_view_tko {order} %w[%zero, %n1] token = %t0 {reduction} : {view}, tile<i32>, token -> {tile}, token"
            ));
            texts
                .push(format!("%t = multimem_reduce_view_tko {order} %w, %x[%zero, %n1] {reduction} : {view}, {tile}, tile<i32> -> token"));
        }
    }
    texts.into_iter().map(|text| entry(element, &format!("{make}\n{text}"))).collect()
}

/// What no element type matters to.
fn others() -> Vec<String> {
    let number = |body: &str| entry(Scalar::I32, body);
    vec![
        number("%a, %b, %c = get_tile_block_id : tile<i32>\n%d, %e, %f = get_num_tile_blocks : tile<i32>"),
        number("%t = join_tokens %t0, %t0 : token\n%s = memory_fence_alias_tko %t"),
        number("%t = gdc_wait_tko token = %t0 -> token\n%s = gdc_launch_dependents_tko token = %t -> token"),
        number("%t = gdc_wait_tko -> token\n%s = gdc_launch_dependents_tko -> token"),
        number("assert %mask, \"never\" : tile<8xi1>"),
        number("%s = print_tko \"nothing\" -> token"),
        "func @f(%n: tile<i32>) { return }\nentry @k(%n: tile<i32>) { preview$call @f(%n) : (tile<i32>) -> () }".to_owned(),
    ]
}
