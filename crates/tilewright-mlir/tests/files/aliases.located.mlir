#access_group = #llvm.access_group<id = distinct[0]<>>
#access_group1 = #llvm.access_group<id = distinct[1]<>>
#alias_scope_domain = #llvm.alias_scope_domain<id = distinct[2]<>, description = "distinct[7]<domain = <>">
#alias_scope_domain1 = #llvm.alias_scope_domain<id = distinct[3]<>, description = "distinct[7]<domain = <>">
#alias_scope_domain2 = #llvm.alias_scope_domain<id = "domain">
#di_file = #llvm.di_file<"a.c" in "/x">
#loc2 = loc("../modules/aliases.mlir":24:14)
#loc3 = loc("../modules/aliases.mlir":24:29)
#loop_annotation = #llvm.loop_annotation<disableNonforced = true>
#loop_annotation1 = #llvm.loop_annotation<mustProgress = true>
#tbaa_root = #llvm.tbaa_root<id = "Simple \22C\22">
#tbaa_root1 = #llvm.tbaa_root
#alias_scope = #llvm.alias_scope<id = distinct[4]<>, domain = #alias_scope_domain, description = "scope">
#alias_scope1 = #llvm.alias_scope<id = distinct[5]<>, domain = #alias_scope_domain1>
#alias_scope2 = #llvm.alias_scope<id = "name", domain = #alias_scope_domain2>
#di_compile_unit = #llvm.di_compile_unit<id = distinct[6]<>, sourceLanguage = DW_LANG_C, file = #di_file, isOptimized = false, emissionKind = None>
#di_compile_unit1 = #llvm.di_compile_unit<id = distinct[7]<>, sourceLanguage = DW_LANG_C, file = #di_file, isOptimized = false, emissionKind = None>
#di_module = #llvm.di_module<file = #di_file, scope = #di_file, name = "module", configMacros = "bar", line = 42>
#loop_annotation2 = #llvm.loop_annotation<mustProgress = true, parallelAccesses = #access_group, #access_group1>
#loop_distribute = #llvm.loop_distribute<disable = true, followupCoincident = #loop_annotation, followupSequential = #loop_annotation1>
#di_module1 = #llvm.di_module<file = #di_file, scope = #di_compile_unit, name = "inner", line = 1>
#loop_annotation3 = #llvm.loop_annotation<distribute = #loop_distribute>
#tbaa_type_desc = #llvm.tbaa_type_desc<id = "char", members = {<#tbaa_root, 0>}>
#tbaa_type_desc1 = #llvm.tbaa_type_desc<id = "z", members = {<#tbaa_root1, 0>}>
#tbaa_tag = #llvm.tbaa_tag<base_type = #tbaa_type_desc, access_type = #tbaa_type_desc, offset = 0, constant = true>
#tbaa_tag1 = #llvm.tbaa_tag<base_type = #tbaa_type_desc1, access_type = #tbaa_type_desc1, offset = 3>
#tbaa_type_desc2 = #llvm.tbaa_type_desc<id = "int", members = {<#tbaa_type_desc, 0>}>
#tbaa_type_desc3 = #llvm.tbaa_type_desc<id = "S", members = {<#tbaa_type_desc2, 0>, <#tbaa_type_desc, 4>}>
#tbaa_tag2 = #llvm.tbaa_tag<base_type = #tbaa_type_desc3, access_type = #tbaa_type_desc2, offset = 0>
"builtin.module"() ({
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (ptr, i1)>, linkage = #llvm.linkage<external>, sym_name = "f", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: !llvm.ptr loc("../modules/aliases.mlir":24:14), %arg1: i1 loc("../modules/aliases.mlir":24:29)):
    %0 = "llvm.mlir.constant"() <{value = 1 : i32}> : () -> i32 loc(#loc4)
    "llvm.store"(%0, %arg0) <{access_groups = [#access_group, #access_group1], alias_scopes = [#alias_scope], noalias_scopes = [#alias_scope1], ordering = 0 : i64, tbaa = [#tbaa_tag2, #tbaa_tag]}> : (i32, !llvm.ptr) -> () loc(#loc5)
    "llvm.store"(%0, %arg0) <{access_groups = [#access_group1], alias_scopes = [#alias_scope1, #alias_scope2], ordering = 0 : i64, tbaa = [#tbaa_tag1]}> : (i32, !llvm.ptr) -> () loc(#loc6)
    "llvm.br"()[^bb1] <{loop_annotation = #loop_annotation2}> : () -> () loc(#loc7)
  ^bb1:  // 3 preds: ^bb0, ^bb1, ^bb2
    "llvm.cond_br"(%arg1)[^bb1, ^bb2] <{loop_annotation = #loop_annotation3, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> () loc(#loc8)
  ^bb2:  // pred: ^bb1
    "llvm.cond_br"(%arg1)[^bb1, ^bb3] <{loop_annotation = #loop_annotation, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> () loc(#loc9)
  ^bb3:  // pred: ^bb2
    "t.debug"() {files = [#di_file, #di_module, #di_module1, #di_compile_unit1]} : () -> () loc(#loc10)
    "llvm.return"() : () -> () loc(#loc11)
  }) : () -> () loc(#loc1)
}) : () -> () loc(#loc)
#loc = loc("../modules/aliases.mlir":0:0)
#loc1 = loc("../modules/aliases.mlir":24:1)
#loc4 = loc("../modules/aliases.mlir":25:8)
#loc5 = loc("../modules/aliases.mlir":26:3)
#loc6 = loc("../modules/aliases.mlir":27:3)
#loc7 = loc("../modules/aliases.mlir":28:3)
#loc8 = loc("../modules/aliases.mlir":30:3)
#loc9 = loc("../modules/aliases.mlir":32:3)
#loc10 = loc("../modules/aliases.mlir":34:3)
#loc11 = loc("../modules/aliases.mlir":35:3)

