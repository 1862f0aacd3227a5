//! Calls of functions that return in the middle, which no pass puts in the place of their calls.

use crate::support::{module, run};
use tilewright_gpu::{Target, compile};

/// Stores what it makes of a number, unless that is negative; finds the first number in a row that is not below it.
const FUNCTIONS: &str = "
    func @store(%p: tile<ptr<i32>>, %v: tile<i32>) {
        %zero = constant <i32: 0> : tile<i32>
        %negative = cmpi less_than %v, %zero, signed : tile<i32> -> tile<i1>
        if %negative { return }
        %a = alloca num_elem = 1, alignment = 4 : tile<ptr<i32>>
        %t0 = store_ptr_tko weak %a, %v : tile<ptr<i32>>, tile<i32> -> token
        %w, %t1 = load_ptr_tko weak %a token=%t0 : tile<ptr<i32>> -> tile<i32>, token
        %t2 = store_ptr_tko weak %p, %w token=%t1 : tile<ptr<i32>>, tile<i32> -> token
        return
    }
    func @store_first(%row: tile<256xi32>, %least: tile<i32>, %p: tile<ptr<i32>>) {
        %zero = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        loop iter_values(%i = %zero) : tile<i32> {
            %x1 = extract %row[%i] : tile<256xi32> -> tile<1xi32>
            %x = reshape %x1 : tile<1xi32> -> tile<i32>
            %below = cmpi less_than %x, %least, signed : tile<i32> -> tile<i1>
            if %below {
                %next = addi %i, %one : tile<i32>
                continue %next : tile<i32>
            }
            preview$call @store(%p, %i) : (tile<ptr<i32>>, tile<i32>) -> ()
            return
        }
        return
    }";

fn text(body: &str) -> String {
    format!("{FUNCTIONS}\nentry @k(%p: tile<ptr<i32>>) {{ {body}\nreturn }}")
}

fn result(body: &str) -> Vec<i32> {
    let results = [0, 1].map(|seed| {
        let mut buffer = vec![0xff; 16];
        run(&text(body), Target::Sm80, [1; 3], &mut buffer, seed);
        buffer.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes"))).collect::<Vec<i32>>()
    });
    assert_eq!(results[0], results[1]);
    results[0].clone()
}

#[test]
fn a_return_in_the_middle_goes_on_behind_the_call() {
    let body = "%one = constant <i32: 1> : tile<i32>
        %five = constant <i32: 5> : tile<i32>
        %less = constant <i32: -3> : tile<i32>
        %p1 = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %p2 = offset %p1, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        preview$call @store(%p, %five) : (tile<ptr<i32>>, tile<i32>) -> ()
        preview$call @store(%p1, %less) : (tile<ptr<i32>>, tile<i32>) -> ()
        preview$call @store(%p2, %one) : (tile<ptr<i32>>, tile<i32>) -> ()";
    assert_eq!(result(body), [5, -1, 1, -1]);
}

#[test]
fn functions_return_out_of_loops_and_call_others() {
    let body = "%row = iota : tile<256xi32>
        %three = constant <i32: 3> : tile<256xi32>
        %rows = muli %row, %three : tile<256xi32>
        %many = constant <i32: 500> : tile<i32>
        %none = constant <i32: 0> : tile<i32>
        %one = constant <i32: 1> : tile<i32>
        %p1 = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        preview$call @store_first(%rows, %many, %p) : (tile<256xi32>, tile<i32>, tile<ptr<i32>>) -> ()
        preview$call @store_first(%rows, %none, %p1) : (tile<256xi32>, tile<i32>, tile<ptr<i32>>) -> ()";
    assert_eq!(result(body), [167, 0, -1, -1]);
}

#[test]
fn calls_that_do_not_end_are_refused() {
    let refused = |text: &str| compile(&module(text), "k", Target::Sm80).expect_err("it is refused").to_string();
    let told = refused("func @f() { preview$call @f() : () -> () return }\nentry @k() { preview$call @f() : () -> () return }");
    assert!(told.contains("a function that leads back to itself"), "{told}");
    let told = refused("entry @k() { preview$call @g() : () -> () return }");
    assert!(told.contains("a function of another module"), "{told}");
    let mut text = "func @f0(%c: tile<i1>) { if %c { return } return }\n".to_owned();
    for i in 1..40 {
        let call = format!("preview$call @f{}(%c) : (tile<i1>) -> ()", i - 1);
        text += &format!("func @f{i}(%c: tile<i1>) {{ {call} {call} if %c {{ return }} return }}\n");
    }
    let told = refused(&(text + "entry @k(%c: tile<i1>) { preview$call @f39(%c) : (tile<i1>) -> () return }"));
    assert!(told.contains("so many operations of functions"), "{told}");
}
