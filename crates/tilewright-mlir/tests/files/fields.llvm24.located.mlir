#di_basic_type = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>
#di_compile_unit = #llvm.di_compile_unit<recId = distinct[0]<>, isRecSelf = true>
#di_compile_unit1 = #llvm.di_compile_unit<sourceLanguage = DW_LANG_C>
#di_file = #llvm.di_file<"foo.c" in "/test/dir">
#di_namespace = #llvm.di_namespace<name = "space", exportSymbols = false>
#di_derived_type = #llvm.di_derived_type<tag = DW_TAG_member, name = "p", file = #di_file, line = 3, scope = #di_file, baseType = #di_basic_type, sizeInBits = 64, alignInBits = 32, offsetInBits = 8, dwarfAddressSpace = 0, flags = "Public|BitField", extraData = 4 : i32>
#di_imported_entity = #llvm.di_imported_entity<tag = DW_TAG_imported_module, scope = #di_file, entity = #di_namespace, file = #di_file, line = 1>
#di_compile_unit2 = #llvm.di_compile_unit<id = distinct[1]<>, sourceLanguage = DW_LANG_C_plus_plus_14, file = #di_file, producer = "MLIR", isOptimized = true, emissionKind = Full, isDebugInfoForProfiling = true, nameTableKind = Apple, splitDebugFilename = "x.dwo", importedEntities = #di_imported_entity>
#di_composite_type = #llvm.di_composite_type<tag = DW_TAG_structure_type, name = "s", identifier = "_ZTS1s", discriminator = #di_derived_type, elements = #di_derived_type, #di_derived_type>
#di_subprogram = #llvm.di_subprogram<name = "f", retainedNodes = [#di_imported_entity, #di_basic_type], annotations = #llvm.di_annotation<name = "a", value = "b">, #llvm.di_annotation<name = "a", value = "c">>
"builtin.module"() ({
^bb0:
}) {t.a = #di_compile_unit2, t.b = #di_compile_unit, t.c = #di_derived_type, t.d = #di_composite_type, t.e = #di_compile_unit1, t.f = #di_subprogram, t.g = #llvm.di_source_language_name<language = DW_LANG_C>, t.h = #llvm.di_source_language_name<name = DW_LNAME_C_plus_plus, version = 201402>} : () -> () loc(#loc)
#loc = loc("n24.mlir":13:1)

