// Attributes of the llvm dialect that bytecode holds as text, within each other.
#root = #llvm.tbaa_root<id = "Simple \"C\"">
#other_root = #llvm.tbaa_root
#char = #llvm.tbaa_type_desc<id = "char", members = {<#root, 0>}>
#int = #llvm.tbaa_type_desc<id = "int", members = {<#char, 0>}>
#struct = #llvm.tbaa_type_desc<id = "S", members = {<#int, 0>, <#char, 4>}>
#tag = #llvm.tbaa_tag<base_type = #struct, access_type = #int, offset = 0>
#tag_of_char = #llvm.tbaa_tag<base_type = #char, access_type = #char, offset = 0, constant = true>
#tag_of_other = #llvm.tbaa_tag<base_type = <id = "z", members = {<#other_root, 0>}>, access_type = <id = "z", members = {<#other_root, 0>}>, offset = 3>
#group = #llvm.access_group<id = distinct[0]<>>
#other_group = #llvm.access_group<id = distinct[1]<>>
#loop = #llvm.loop_annotation<mustProgress = true, parallelAccesses = #group, #other_group>
#domain = #llvm.alias_scope_domain<id = distinct[2]<>, description = "distinct[7]<domain = <>">
#scope = #llvm.alias_scope<id = distinct[3]<>, domain = #domain, description = "scope">
#other_scope = #llvm.alias_scope<id = distinct[4]<>, domain = #domain>
#named_scope = #llvm.alias_scope<id = "name", domain = <id = "domain">>
#simple = #llvm.loop_annotation<disableNonforced = true>
#distribute = #llvm.loop_distribute<disable = true, followupCoincident = #simple, followupSequential = <mustProgress = true>>
#distributed = #llvm.loop_annotation<distribute = #distribute>
#file = #llvm.di_file<"a.c" in "/x">
#module = #llvm.di_module<file = #file, scope = #file, name = "module", configMacros = "bar", line = 42>
#unit = #llvm.di_compile_unit<id = distinct[5]<>, sourceLanguage = DW_LANG_C, file = #file, isOptimized = false, emissionKind = None>
#inner = #llvm.di_module<file = #file, scope = #unit, name = "inner", line = 1>
llvm.func @f(%p: !llvm.ptr, %b: i1) {
  %c = llvm.mlir.constant(1 : i32) : i32
  llvm.store %c, %p {tbaa = [#tag, #tag_of_char], access_groups = [#group, #other_group], alias_scopes = [#scope], noalias_scopes = [#other_scope]} : i32, !llvm.ptr
  llvm.store %c, %p {tbaa = [#tag_of_other], access_groups = [#other_group], alias_scopes = [#other_scope, #named_scope]} : i32, !llvm.ptr
  llvm.br ^end {loop_annotation = #loop}
^end:
  llvm.cond_br %b, ^end, ^last {loop_annotation = #distributed}
^last:
  llvm.cond_br %b, ^end, ^exit {loop_annotation = #simple}
^exit:
  "t.debug"() {files = [#file, #module, #inner, #unit]} : () -> ()
  llvm.return
}
