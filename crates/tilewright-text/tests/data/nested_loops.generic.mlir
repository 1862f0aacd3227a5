"cuda_tile.entry"() <{function_type = (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> (), sym_name = "k0"}> ({
^bb0(%arg0: !cuda_tile.tile<i32>, %arg1: !cuda_tile.tile<i32>, %arg2: !cuda_tile.tile<i32>):
  %0 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
  %1:2 = "cuda_tile.if"(%0) ({
    %5 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
    %6 = "cuda_tile.addi"(%arg0, %5) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
    %7 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
    %8 = "cuda_tile.scan"(%7) <{dim = 0 : i32, identities = [1.000000e+00 : f32], reverse = true}> ({
    ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
      "cuda_tile.yield"(%arg3) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
    %9:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    %10 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
    %11:2 = "cuda_tile.for"(%arg0, %9#0, %arg1, %7, %10) ({
    ^bb0(%arg3: !cuda_tile.tile<i32>, %arg4: !cuda_tile.tile<8xf32>, %arg5: !cuda_tile.tile<8xf32>):
      %14 = "cuda_tile.if"(%0) ({
        %21 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
        %22:2 = "cuda_tile.loop"(%21) ({
        ^bb0(%arg6: !cuda_tile.tile<i32>):
          %25 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %26 = "cuda_tile.addi"(%9#0, %9#2) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
          "cuda_tile.break"(%7, %arg3) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>) -> ()
        }) : (!cuda_tile.tile<i32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
        %23 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
        %24 = "cuda_tile.assume"(%23) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        "cuda_tile.yield"(%arg4) : (!cuda_tile.tile<8xf32>) -> ()
      }, {
        %21 = "cuda_tile.addi"(%9#1, %arg0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        "cuda_tile.if"(%0) ({
          %28:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          "cuda_tile.yield"() : () -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        %22 = "cuda_tile.addi"(%9#1, %21) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        %23 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        %24 = "cuda_tile.reduce"(%23) <{dim = 0 : i32, identities = [1.000000e+00 : f32]}> ({
        ^bb0(%arg6: !cuda_tile.tile<f32>, %arg7: !cuda_tile.tile<f32>):
          %28 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          %29:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          %30 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
          %31 = "cuda_tile.constant"() <{value = dense<1.500000e+00> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
          "cuda_tile.yield"(%31) : (!cuda_tile.tile<f32>) -> ()
        }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
        %25 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        %26 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        %27:2 = "cuda_tile.scan"(%25, %26) <{dim = 0 : i32, identities = [1.000000e+00 : f32, 1.000000e+00 : f32], reverse = true}> ({
        ^bb0(%arg6: !cuda_tile.tile<f32>, %arg7: !cuda_tile.tile<f32>, %arg8: !cuda_tile.tile<f32>, %arg9: !cuda_tile.tile<f32>):
          %28 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %29 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
          %30 = "cuda_tile.constant"() <{value = dense<1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %31 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
          "cuda_tile.yield"(%arg6, %31) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()
        }) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)
        "cuda_tile.yield"(%arg4) : (!cuda_tile.tile<8xf32>) -> ()
      }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<8xf32>
      %15 = "cuda_tile.assume"(%5) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %16 = "cuda_tile.assume"(%15) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %17 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
      %18 = "cuda_tile.assume"(%17) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
      %19:2 = "cuda_tile.if"(%0) ({
        "cuda_tile.if"(%0) ({
          %25 = "cuda_tile.constant"() <{value = dense<-1> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %26 = "cuda_tile.assume"(%17) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          "cuda_tile.yield"() : () -> ()
        }, {
          %25:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          %26 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          %27 = "cuda_tile.scan"(%26) <{dim = 0 : i32, identities = [1.000000e+00 : f32], reverse = true}> ({
          ^bb0(%arg6: !cuda_tile.tile<f32>, %arg7: !cuda_tile.tile<f32>):
            "cuda_tile.yield"(%arg7) : (!cuda_tile.tile<f32>) -> ()
          }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
          "cuda_tile.yield"() : () -> ()
        }) : (!cuda_tile.tile<i1>) -> ()
        %21 = "cuda_tile.if"(%0) ({
          %25 = "cuda_tile.reshape"(%arg1) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
          %26:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          %27 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %28 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %29 = "cuda_tile.addi"(%27, %28) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
          %30 = "cuda_tile.addi"(%28, %9#0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
          %31:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          %32 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          "cuda_tile.yield"(%32) : (!cuda_tile.tile<8xf32>) -> ()
        }, {
          %25 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          %26 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          %27:2 = "cuda_tile.scan"(%25, %26) <{dim = 0 : i32, identities = [1.000000e+00 : f32, 1.000000e+00 : f32], reverse = true}> ({
          ^bb0(%arg6: !cuda_tile.tile<f32>, %arg7: !cuda_tile.tile<f32>, %arg8: !cuda_tile.tile<f32>, %arg9: !cuda_tile.tile<f32>):
            %28 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            %29 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            %30 = "cuda_tile.constant"() <{value = dense<false> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
            %31:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
            "cuda_tile.yield"(%arg8, %arg8) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()
          }) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)
          "cuda_tile.yield"(%27#1) : (!cuda_tile.tile<8xf32>) -> ()
        }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<8xf32>
        %22 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
        "cuda_tile.loop"(%22) ({
        ^bb0(%arg6: !cuda_tile.tile<i32>):
          %25 = "cuda_tile.assume"(%18) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          %26:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          "cuda_tile.break"() : () -> ()
        }) : (!cuda_tile.tile<i32>) -> ()
        %23 = "cuda_tile.constant"() <{value = dense<false> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
        "cuda_tile.if"(%23) ({
          "cuda_tile.yield"() : () -> ()
        }, {
        }) : (!cuda_tile.tile<i1>) -> ()
        %24 = "cuda_tile.reshape"(%9#0) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
        "cuda_tile.yield"(%arg5, %arg0) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>) -> ()
      }, {
        %21 = "cuda_tile.if"(%0) ({
          %27 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
          %28 = "cuda_tile.assume"(%27) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          %29 = "cuda_tile.reshape"(%16) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
          %30 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %31 = "cuda_tile.reshape"(%30) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
          "cuda_tile.yield"(%30) : (!cuda_tile.tile<i32>) -> ()
        }, {
          %27 = "cuda_tile.assume"(%17) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          %28 = "cuda_tile.assume"(%17) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          "cuda_tile.yield"(%16) : (!cuda_tile.tile<i32>) -> ()
        }) : (!cuda_tile.tile<i1>) -> !cuda_tile.tile<i32>
        %22 = "cuda_tile.constant"() <{value = dense<2.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        %23:2 = "cuda_tile.reduce"(%arg4, %22) <{dim = 0 : i32, identities = [1.000000e+00 : f32, 1.000000e+00 : f32]}> ({
        ^bb0(%arg6: !cuda_tile.tile<f32>, %arg7: !cuda_tile.tile<f32>, %arg8: !cuda_tile.tile<f32>, %arg9: !cuda_tile.tile<f32>):
          %27 = "cuda_tile.addi"(%9#1, %5) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
          %28 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
          %29 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
          %30 = "cuda_tile.constant"() <{value = dense<false> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
          "cuda_tile.yield"(%arg6, %arg9) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()
        }) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>)
        %24 = "cuda_tile.reshape"(%5) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
        %25 = "cuda_tile.assume"(%21) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        %26 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        "cuda_tile.yield"(%26, %16) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i1>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
      %20 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
      "cuda_tile.continue"(%10, %20) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>)
    %12 = "cuda_tile.reduce"(%11#1) <{dim = 0 : i32, identities = [1.000000e+00 : f32]}> ({
    ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
      %14 = "cuda_tile.constant"() <{value = dense<2.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
      %15 = "cuda_tile.addi"(%5, %arg0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %16 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
      %17 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
      %18 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
      %19 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
      "cuda_tile.yield"(%19) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
    %13 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
    "cuda_tile.yield"(%13, %5) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
  }, {
    %5 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
    %6 = "cuda_tile.scan"(%5) <{dim = 0 : i32, identities = [1.000000e+00 : f32], reverse = true}> ({
    ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
      %10:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %11 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
      %12 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
      %13 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
      %14 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
      "cuda_tile.yield"(%14) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
    "cuda_tile.if"(%0) ({
      %10 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
      %11 = "cuda_tile.assume"(%10) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      "cuda_tile.yield"() : () -> ()
    }, {
      "cuda_tile.yield"() : () -> ()
    }) : (!cuda_tile.tile<i1>) -> ()
    %7:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    %8 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
    "cuda_tile.if"(%8) ({
      %10:2 = "cuda_tile.loop"() ({
        %12 = "cuda_tile.assume"(%7#0) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        %13 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
        %14 = "cuda_tile.assume"(%13) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
        %15 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
        %16:2 = "cuda_tile.if"(%8) ({
          "cuda_tile.yield"(%15, %arg1) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>) -> ()
        }, {
          "cuda_tile.yield"(%6, %7#2) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>) -> ()
        }) : (!cuda_tile.tile<i1>) -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
        %17 = "cuda_tile.addi"(%arg0, %arg0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
        %18:2 = "cuda_tile.reduce"(%16#0, %16#0) <{dim = 0 : i32, identities = [1.000000e+00 : f32, 1.000000e+00 : f32]}> ({
        ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>, %arg5: !cuda_tile.tile<f32>, %arg6: !cuda_tile.tile<f32>):
          %19 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
          %20 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
          %21:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
          "cuda_tile.yield"(%arg5, %arg5) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> ()
        }) : (!cuda_tile.tile<8xf32>, !cuda_tile.tile<8xf32>) -> (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>)
        "cuda_tile.continue"() : () -> ()
      }) : () -> (!cuda_tile.tile<8xf32>, !cuda_tile.tile<i32>)
      %11:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      "cuda_tile.yield"() : () -> ()
    }, {
      %10 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
      %11 = "cuda_tile.addi"(%10, %arg0) <{overflow = #cuda_tile.overflow<none>}> : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> !cuda_tile.tile<i32>
      %12:2 = "cuda_tile.if"(%8) ({
        "cuda_tile.yield"(%arg1, %10) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      }, {
        %14 = "cuda_tile.constant"() <{value = dense<false> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
        "cuda_tile.if"(%14) ({
          %19 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
          %20 = "cuda_tile.assume"(%19) <{predicate = #cuda_tile.div_by<1>}> : (!cuda_tile.tile<8xi32>) -> !cuda_tile.tile<8xi32>
          "cuda_tile.yield"() : () -> ()
        }, {
          %19 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
          %20 = "cuda_tile.reduce"(%19) <{dim = 0 : i32, identities = [1.000000e+00 : f32]}> ({
          ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
            %22 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            %23 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            %24 = "cuda_tile.constant"() <{value = dense<false> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
            %25 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
            %26 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            %27 = "cuda_tile.constant"() <{value = dense<2.000000e+00> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
            "cuda_tile.yield"(%arg4) : (!cuda_tile.tile<f32>) -> ()
          }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
          %21 = "cuda_tile.reduce"(%5) <{dim = 0 : i32, identities = [1.000000e+00 : f32]}> ({
          ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
            %22 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
            %23 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
            %24 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
            %25 = "cuda_tile.constant"() <{value = dense<2> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
            %26 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
            "cuda_tile.yield"(%arg4) : (!cuda_tile.tile<f32>) -> ()
          }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
          "cuda_tile.yield"() : () -> ()
        }) : (!cuda_tile.tile<i1>) -> ()
        %15 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
        %16:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
        %17 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
        %18 = "cuda_tile.constant"() <{value = dense<7> : !cuda_tile.tile<i32>}> : () -> !cuda_tile.tile<i32>
        "cuda_tile.yield"(%17, %18) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
      }) : (!cuda_tile.tile<i1>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
      %13 = "cuda_tile.reduce"(%5) <{dim = 0 : i32, identities = [1.000000e+00 : f32]}> ({
      ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
        %14 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
        "cuda_tile.yield"(%arg4) : (!cuda_tile.tile<f32>) -> ()
      }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<f32>
      "cuda_tile.yield"() : () -> ()
    }) : (!cuda_tile.tile<i1>) -> ()
    %9:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    "cuda_tile.yield"(%arg1, %7#1) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
  }) : (!cuda_tile.tile<i1>) -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
  %2 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
  %3 = "cuda_tile.reshape"(%arg1) : (!cuda_tile.tile<i32>) -> !cuda_tile.tile<1xi32>
  %4 = "cuda_tile.scan"(%2) <{dim = 0 : i32, identities = [1.000000e+00 : f32], reverse = true}> ({
  ^bb0(%arg3: !cuda_tile.tile<f32>, %arg4: !cuda_tile.tile<f32>):
    %5:3 = "cuda_tile.get_tile_block_id"() : () -> (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>)
    %6 = "cuda_tile.constant"() <{value = dense<5.000000e-01> : !cuda_tile.tile<8xf32>}> : () -> !cuda_tile.tile<8xf32>
    %7 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
    %8 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
    %9 = "cuda_tile.constant"() <{value = dense<true> : !cuda_tile.tile<i1>}> : () -> !cuda_tile.tile<i1>
    %10 = "cuda_tile.constant"() <{value = dense<0> : !cuda_tile.tile<8xi32>}> : () -> !cuda_tile.tile<8xi32>
    %11 = "cuda_tile.constant"() <{value = dense<0.000000e+00> : !cuda_tile.tile<f32>}> : () -> !cuda_tile.tile<f32>
    "cuda_tile.yield"(%11) : (!cuda_tile.tile<f32>) -> ()
  }) : (!cuda_tile.tile<8xf32>) -> !cuda_tile.tile<8xf32>
  "cuda_tile.return"() : () -> ()
}) : () -> ()
