// Debug information and loop annotations of the llvm dialect.
#di_basic_type = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>
#di_basic_type1 = #llvm.di_basic_type<tag = DW_TAG_unspecified_type, name = "decltype(nullptr) \"x\"">
#di_file = #llvm.di_file<"foo.c" in "/test/dir">
#di_file1 = #llvm.di_file<"" in "">
#di_compile_unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C_plus_plus_14, file = #di_file, producer = "MLIR", isOptimized = true, emissionKind = Full, nameTableKind = Apple>
#di_compile_unit1 = #llvm.di_compile_unit<id = distinct[1]<>, sourceLanguage = DW_LANG_Mips_Assembler, file = #di_file1, isOptimized = false, emissionKind = LineTablesOnly>
#di_null_type = #llvm.di_null_type
#di_subroutine_type = #llvm.di_subroutine_type<callingConvention = DW_CC_normal, types = #di_null_type, #di_basic_type, #di_basic_type1>
#di_subroutine_type1 = #llvm.di_subroutine_type<>
#di_namespace = #llvm.di_namespace<name = "space", exportSymbols = false>
#di_namespace1 = #llvm.di_namespace<scope = #di_namespace, exportSymbols = true>
#di_subprogram = #llvm.di_subprogram<id = distinct[2]<>, compileUnit = #di_compile_unit, scope = #di_namespace1, name = "f", linkageName = "_f", file = #di_file, line = 3, scopeLine = 4, subprogramFlags = "Definition|Optimized", type = #di_subroutine_type, annotations = #llvm.di_annotation<name = "a", value = "b">>
#di_subprogram1 = #llvm.di_subprogram<recId = distinct[3]<>, isRecSelf = true>
#di_subprogram2 = #llvm.di_subprogram<recId = distinct[3]<>, id = distinct[4]<>, compileUnit = #di_compile_unit1, scope = #di_file, name = "g", file = #di_file, subprogramFlags = Definition, type = #di_subroutine_type1, retainedNodes = #llvm.di_local_variable<scope = #di_subprogram1, name = "kept">>
#di_lexical_block = #llvm.di_lexical_block<scope = #di_subprogram, file = #di_file, line = 5, column = 7>
#di_lexical_block_file = #llvm.di_lexical_block_file<scope = #di_lexical_block, file = #di_file, discriminator = 0>
#di_derived_type = #llvm.di_derived_type<tag = DW_TAG_pointer_type, name = "p", baseType = #di_basic_type, sizeInBits = 64, alignInBits = 32, offsetInBits = 8, dwarfAddressSpace = 0>
#di_derived_type1 = #llvm.di_derived_type<tag = DW_TAG_member, baseType = #di_basic_type, extraData = #llvm.di_global_variable<file = #di_file, line = 0, type = #di_basic_type>>
#di_composite_type = #llvm.di_composite_type<tag = DW_TAG_array_type, name = "array", file = #di_file, line = 9, scope = #di_file, baseType = #di_basic_type, flags = Vector, sizeInBits = 128, alignInBits = 32, dataLocation = <[DW_OP_push_object_address, DW_OP_deref]>, rank = <[DW_OP_lit0]>, allocated = <>, associated = <[DW_OP_constu(3), DW_OP_LLVM_fragment(16, 8)]>, elements = #llvm.di_subrange<count = 4 : i64, lowerBound = #llvm.di_expression<[DW_OP_LLVM_convert(16, DW_ATE_signed)]>, stride = 2 : i64>, #di_derived_type>
#di_composite_type1 = #llvm.di_composite_type<recId = distinct[5]<>, isRecSelf = true>
#di_composite_type2 = #llvm.di_composite_type<recId = distinct[5]<>, tag = DW_TAG_class_type, flags = "Public|TypePassByReference|NonTrivial", elements = #di_composite_type1>
#di_local_variable = #llvm.di_local_variable<scope = #di_lexical_block_file, name = "x", file = #di_file, line = 4, arg = 1, alignInBits = 32, type = #di_composite_type, flags = "Artificial|ObjectPointer">
#di_local_variable1 = #llvm.di_local_variable<scope = #di_subprogram2, type = #di_composite_type2, flags = Private>
#di_label = #llvm.di_label<scope = #di_lexical_block, name = "label", file = #di_file, line = 42>
#di_global_variable = #llvm.di_global_variable<scope = #di_compile_unit, name = "global", linkageName = "_global", file = #di_file, line = 12, type = #di_derived_type1, isLocalToUnit = true, isDefined = true, alignInBits = 8>
#di_imported_entity = #llvm.di_imported_entity<tag = DW_TAG_imported_module, scope = #di_subprogram, entity = #di_namespace, file = #di_file, line = 1, name = "import", elements = #di_global_variable>
#loop_unroll = #llvm.loop_unroll<disable = true, count = 8 : i64>
#loop_annotation = #llvm.loop_annotation<disableNonforced = false, vectorize = <disable = false, width = 4 : i32>, unroll = #loop_unroll, mustProgress = true, startLoc = loc(fused<#di_lexical_block>["loop.c":1:2]), endLoc = loc(fused<#di_lexical_block>["loop.c":3:4])>
module {
  llvm.mlir.global external @global() {dbg_exprs = [#llvm.di_global_variable_expression<var = #di_global_variable, expr = <[DW_OP_plus_uconst(4)]>>, #llvm.di_global_variable_expression<var = #di_global_variable>]} : i64
  llvm.func @f(%a: i32, %c: i1) attributes {entities = [#di_imported_entity, #llvm.di_expression<>]} {
    llvm.intr.dbg.value #di_local_variable #llvm.di_expression<[DW_OP_LLVM_fragment(16, 8), DW_OP_deref]> = %a : i32 loc(fused<#di_subprogram>["foo.c":1:2])
    llvm.intr.dbg.value #di_local_variable1 = %a : i32
    llvm.intr.dbg.label #di_label
    llvm.br ^bb1
  ^bb1:
    llvm.cond_br %c, ^bb1, ^bb2 {loop_annotation = #loop_annotation}
  ^bb2:
    llvm.return
  } loc(fused<#di_subprogram>["foo.c":1:1])
  llvm.func @g() {
    llvm.return
  } loc(fused<#di_subprogram2>["foo.c":8:1])
}
