#di_basic_type = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>
#di_basic_type1 = #llvm.di_basic_type<tag = DW_TAG_unspecified_type, name = "decltype(nullptr) \22x\22">
#di_composite_type = #llvm.di_composite_type<recId = distinct[0]<>, isRecSelf = true>
#di_file = #llvm.di_file<"foo.c" in "/test/dir">
#di_file1 = #llvm.di_file<"" in "">
#di_namespace = #llvm.di_namespace<name = "space", exportSymbols = false>
#di_null_type = #llvm.di_null_type
#di_subprogram = #llvm.di_subprogram<recId = distinct[1]<>, isRecSelf = true>
#di_subroutine_type = #llvm.di_subroutine_type<>
#loc = loc("loop.c":1:2)
#loc1 = loc("loop.c":3:4)
#loop_unroll = #llvm.loop_unroll<disable = true, count = 8 : i64>
#loop_vectorize = #llvm.loop_vectorize<disable = false, width = 4 : i32>
#di_compile_unit = #llvm.di_compile_unit<id = distinct[2]<>, sourceLanguage = DW_LANG_C_plus_plus_14, file = #di_file, producer = "MLIR", isOptimized = true, emissionKind = Full, nameTableKind = Apple>
#di_compile_unit1 = #llvm.di_compile_unit<id = distinct[3]<>, sourceLanguage = DW_LANG_Mips_Assembler, file = #di_file1, emissionKind = LineTablesOnly>
#di_composite_type1 = #llvm.di_composite_type<recId = distinct[0]<>, tag = DW_TAG_class_type, flags = "Public|TypePassByReference|NonTrivial", elements = #di_composite_type>
#di_derived_type = #llvm.di_derived_type<tag = DW_TAG_pointer_type, name = "p", baseType = #di_basic_type, sizeInBits = 64, alignInBits = 32, offsetInBits = 8, dwarfAddressSpace = 0>
#di_global_variable = #llvm.di_global_variable<file = #di_file, line = 0, type = #di_basic_type>
#di_local_variable = #llvm.di_local_variable<scope = #di_subprogram, name = "kept">
#di_namespace1 = #llvm.di_namespace<scope = #di_namespace, exportSymbols = true>
#di_subroutine_type1 = #llvm.di_subroutine_type<callingConvention = DW_CC_normal, types = #di_null_type, #di_basic_type, #di_basic_type1>
#di_composite_type2 = #llvm.di_composite_type<tag = DW_TAG_array_type, name = "array", file = #di_file, line = 9, scope = #di_file, baseType = #di_basic_type, flags = Vector, sizeInBits = 128, alignInBits = 32, dataLocation = <[DW_OP_push_object_address, DW_OP_deref]>, rank = <[DW_OP_lit0]>, allocated = <>, associated = <[DW_OP_constu(3), DW_OP_LLVM_fragment(16, 8)]>, elements = #llvm.di_subrange<count = 4 : i64, lowerBound = #llvm.di_expression<[DW_OP_LLVM_convert(16, DW_ATE_signed)]>, stride = 2 : i64>, #di_derived_type>
#di_derived_type1 = #llvm.di_derived_type<tag = DW_TAG_member, baseType = #di_basic_type, extraData = #di_global_variable>
#di_subprogram1 = #llvm.di_subprogram<id = distinct[4]<>, compileUnit = #di_compile_unit, scope = #di_namespace1, name = "f", linkageName = "_f", file = #di_file, line = 3, scopeLine = 4, subprogramFlags = "Definition|Optimized", type = #di_subroutine_type1, annotations = #llvm.di_annotation<name = "a", value = "b">>
#di_subprogram2 = #llvm.di_subprogram<recId = distinct[1]<>, id = distinct[5]<>, compileUnit = #di_compile_unit1, scope = #di_file, name = "g", file = #di_file, subprogramFlags = Definition, type = #di_subroutine_type, retainedNodes = [#di_local_variable]>
#di_global_variable1 = #llvm.di_global_variable<scope = #di_compile_unit, name = "global", linkageName = "_global", file = #di_file, line = 12, type = #di_derived_type1, isLocalToUnit = true, isDefined = true, alignInBits = 8>
#di_lexical_block = #llvm.di_lexical_block<scope = #di_subprogram1, file = #di_file, line = 5, column = 7>
#di_local_variable1 = #llvm.di_local_variable<scope = #di_subprogram2, type = #di_composite_type1, flags = Private>
#di_global_variable_expression = #llvm.di_global_variable_expression<var = #di_global_variable1, expr = <[DW_OP_plus_uconst(4)]>>
#di_global_variable_expression1 = #llvm.di_global_variable_expression<var = #di_global_variable1>
#di_imported_entity = #llvm.di_imported_entity<tag = DW_TAG_imported_module, scope = #di_subprogram1, entity = #di_namespace, file = #di_file, line = 1, name = "import", elements = #di_global_variable1>
#di_label = #llvm.di_label<scope = #di_lexical_block, name = "label", file = #di_file, line = 42>
#di_lexical_block_file = #llvm.di_lexical_block_file<scope = #di_lexical_block, file = #di_file, discriminator = 0>
#loc2 = loc(fused<#di_lexical_block>[#loc])
#loc3 = loc(fused<#di_lexical_block>[#loc1])
#di_local_variable2 = #llvm.di_local_variable<scope = #di_lexical_block_file, name = "x", file = #di_file, line = 4, arg = 1, alignInBits = 32, type = #di_composite_type2, flags = "Artificial|ObjectPointer">
#loop_annotation = #llvm.loop_annotation<disableNonforced = false, vectorize = #loop_vectorize, unroll = #loop_unroll, mustProgress = true, startLoc = #loc2, endLoc = #loc3>
"builtin.module"() ({
  "llvm.mlir.global"() <{addr_space = 0 : i32, dbg_exprs = [#di_global_variable_expression, #di_global_variable_expression1], global_type = i64, linkage = #llvm.linkage<external>, sym_name = "global", tls_mode = 0 : i64, unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (i32, i1)>, linkage = #llvm.linkage<external>, sym_name = "f", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: i32, %arg1: i1):
    "llvm.intr.dbg.value"(%arg0) <{locationExpr = #llvm.di_expression<[DW_OP_LLVM_fragment(16, 8), DW_OP_deref]>, varInfo = #di_local_variable2}> : (i32) -> ()
    "llvm.intr.dbg.value"(%arg0) <{locationExpr = #llvm.di_expression<>, varInfo = #di_local_variable1}> : (i32) -> ()
    "llvm.intr.dbg.label"() <{label = #di_label}> : () -> ()
    "llvm.br"()[^bb1] : () -> ()
  ^bb1:  // 2 preds: ^bb0, ^bb1
    "llvm.cond_br"(%arg1)[^bb1, ^bb2] <{loop_annotation = #loop_annotation, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
  ^bb2:  // pred: ^bb1
    "llvm.return"() : () -> ()
  }) {entities = [#di_imported_entity, #llvm.di_expression<>]} : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void ()>, linkage = #llvm.linkage<external>, sym_name = "g", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
    "llvm.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

