"""Makes `table.txt` of what mlir-tblgen generates: the operations, whether they are isolated, and their properties.

table.py PATH... >table.txt: folders with `*.cpp.inc` and `*.h.inc`, such `*.cpp.inc` files, or `_*_ops_gen.py` of Python bindings.
table.py --older VERSION TABLE PATH...: adds the forms of LLVM up to VERSION (`-VERSION`) that are not those of the next version in the table,
to be called with the latest VERSION first.
table.py --add TABLE PATH...: adds operations that the table does not have, if they have properties or isolated regions, and, on a line
behind the others, properties of another form of one that it has, which is taken for a newer one (`+`).

The table was made of the headers of libmlir-22-dev (`mlir/Dialect`, `mlir/IR`), and of what `mlir-tblgen -gen-op-defs` and
`-gen-op-decls` make of VhloOps.td, StablehloOps.td and ChloOps.td of StableHLO (of August 2026) and ops.td of Shardy (of the same time)
as Vhlo.cpp.inc, Vhlo.h.inc and so on. Added were, in this order: every `*.td` with operations of torch-mlir, CIRCT, IREE and Catalyst
(of August 2026) by `mlir-tblgen` of LLVM 22; the bindings of Triton in jaxlib 0.10.2; those of MLIR of LLVM 24 in torch-mlir 20261001
and in iree-base-compiler 3.13.0. Bindings do not say which regions are isolated, and have no properties that are not attributes: the
forms that they would give to operations with such properties are left out. Then came the bindings of CUDA-Q (cuda-quantum-cu13
0.16.0.post1), FlyDSL (flydsl 0.5.0, with its `rocdl.sched` operations) and CANNBot (cannbot-dsl 0.7.1), and all of jaxlib 0.10.2, of which the forms of StableHLO and CHLO are
older ones, without `+`; then tfl_ops.td, QuantOps.td and the ops.td of LiteRT (of August 2026), with definitions of their own for the few
names that they use of TensorFlow's tf_op_base.td. Last came the older forms of LLVM 21 (headers of xtc-mlir-dev 21.1.2.8 on PyPI) and of
LLVM 19 (libmlir-19-dev 19.1.7), which are taken for those of LLVM 20 too. Operations of IREE's hal
dialect had no properties then, as iree-compiler 20241104 shows, and `util.unreachable` another form: these lines were added by hand. `affine.dma_start` and `affine.dma_wait` have no properties before LLVM 23, which
no header says: their first lines were added by hand, as were those of `llvm.getelementptr` with `inrange` and of symbols of spirv with
`sym_visibility`, which IREE's LLVM has. MLIR of LLVM 24 gives symbols `sym_name` and
`sym_visibility`; operations of CIRCT and IREE that declare no `sym_visibility` have a line with it, the first, added by hand.
"""
import re, sys, glob, os
def parse(cpp, h):
    hs=open(h).read(); cs=open(cpp).read()
    out={}
    classes={}
    for m in re.finditer(r'\nclass (\w+) : public ::mlir::Op<\1(.*?)> \{\npublic:(.*?)\n\};\n', hs, re.S):
        name=re.search(r'getOperationName\(\) \{\s*return ::llvm::StringLiteral\("([^"]+)"\)', m.group(3))
        if not name: continue
        classes[m.group(1)]=name.group(1)
        out[name.group(1)]=dict(iso='IsIsolatedFromAbove' in m.group(2), props=[])
    starts=[(m.start(),m.end(),m.group(1)) for m in re.finditer(r'\nvoid (\w+)::writeProperties\(::mlir::DialectBytecodeWriter &writer\) \{\n', cs)]
    for s,e,c in starts:
        depth=1;i=e
        while depth:
            if cs[i]=='{':depth+=1
            elif cs[i]=='}':depth-=1
            i+=1
        body=cs[e:i-1]
        attrs=re.search(r'\n::mlir::Attribute '+c+r'::getPropertiesAsAttr\(.*?\{(.*?)\n\}\n',cs,re.S).group(1)
        props=[]
        pos=0
        toks=re.compile(r'''writer\.writeOptionalAttribute\(prop\.(?P<o>\w+)\);|if \(writer\.getBytecodeVersion\(\) < /\*kNativePropertiesODSSegmentSize=\*/6\) \{\s*auto &propStorage = prop\.(?P<old>\w+);.*?\n\}|\{\s*auto &propStorage = prop\.(?P<new>\w+);\s*if \(writer\.getBytecodeVersion\(\) >= /\*kNativePropertiesODSSegmentSize=\*/6\)\s*writer\.writeSparseArray\(::llvm::ArrayRef\(propStorage\)\);\s*;\s*\}|writer\.writeAttribute\(prop\.(?P<a>\w+)\);|\{\s*auto &propStorage = prop\.(?P<b>\w+);\s*writer\.writeOwnedBool\(propStorage\);;\s*\}|\{\s*auto &propStorage = prop\.(?P<oi>\w+);\s*writer\.writeOwnedBool\(propStorage\.has_value\(\)\);\s*if \(propStorage\.has_value\(\)\) \{\s*writer\.writeVarInt\(\(\*\(propStorage\)\)\);\s*\};\s*\}|\{\s*auto &propStorage = prop\.(?P<i>\w+);\s*writer\.writeVarInt\(static_cast<uint64_t>\(propStorage\)\);;\s*\}''',re.S)
        rest=toks.sub('',body)
        rest=re.sub(r'auto &prop = getProperties\(\); \(void\)prop;','',rest).strip()
        if rest: print('properties of no known kind:',classes[c],file=sys.stderr); out.pop(classes[c],None); continue
        for m in toks.finditer(body):
            k=m.lastgroup;n=m.group(k)
            if k=='a':props.append(n)
            elif k=='o':props.append(n+'?')
            elif k=='old':
                n2={'operandSegmentSizes':'operand_segment_sizes'}.get(n,n)
                props.append('<'+n)
            elif k=='new':
                sz=re.search(r'using '+n+r'Ty = std::array<int32_t, (\d+)>',classbody(hs,c)).group(1)
                props.append('>'+n+':'+sz)
            elif k=='b':props.append(n+':bool')
            elif k=='oi':props.append(n+':int?')
            elif k=='i':
                w=re.search(r'IntegerType::get\(ctx, (\d+)\), static_cast<uint',attrs[attrs.index('prop.'+n):])
                # LLVM 19 prints its only flags as an attribute of the llvm dialect.
                if not w and n!='overflowFlags': raise ValueError(classes[c]+' '+n)
                props.append(n+(':int'+w.group(1) if w else ':overflow'))
        # names as printed may differ from C++ member names
        out[classes[c]]['props']=props
    return out
_cb={}
def classbody(hs,c):
    # properties struct lives in the generic adaptor base
    i=hs.index('class '+c+'GenericAdaptorBase')
    return hs[i:hs.index('\nclass ',i+10)]
def bindings(path):
    out={}
    for body in re.split(r'\nclass \w+\(_ods_ir\.OpView\):\n',open(path).read())[1:]:
        body=body.split('\nclass ')[0]
        name=re.search(r'OPERATION_NAME = "([^"]+)"',body)
        if not name: continue
        words=[];sizes=[]
        parameters=re.search(r'def __init__\(self,(.*?)\):\n',body,re.S)
        for getter in re.finditer(r'@builtins\.property\n  def \w+\(self\)[^\n]*:\n((?:    [^\n]*\n)+)',body):
            code=getter.group(1)
            attr=re.search(r'self\.operation\.attributes\["([^"]+)"\]|"([^"]+)" (?:not )?in self\.operation\.attributes',code)
            if not attr or (attr.group(1) or attr.group(2)) in ('operandSegmentSizes','resultSegmentSizes'): continue
            attr=attr.group(1) or attr.group(2)
            defaulted=parameters and re.search(r'\b'+re.escape(attr)+r'_?(?:: _Optional\[.*?\] = |=)None',parameters.group(1))
            words.append((attr,attr+('?' if defaulted or 'in self.operation.attributes' in code else '')))
        for list_,what in (('_ODS_OPERAND_SEGMENTS','operandSegmentSizes'),('_ODS_RESULT_SEGMENTS','resultSegmentSizes')):
            groups=re.search(list_+r' = \[([^\]]*)\]',body)
            if groups:
                words.append((what,'<'+what))
                sizes.append('>%s:%d'%(what,len([size for size in groups.group(1).split(',') if size.strip()])))
        out[name.group(1)]=dict(iso=False,props=[word for _,word in sorted(words)]+sizes)
    return out
def add(table,found):
    lines={}
    for line in open(table).read().splitlines(): lines.setdefault(line.split(' ')[0].rstrip('!+'),[]).append(line)
    for name,o in found.items():
        forms=lines.get(name,[])
        mark='!' if o['iso'] or (forms and '!' in forms[0].split(' ')[0]) else ''
        if forms: mark+='+'
        line=name+mark+''.join(' '+p for p in o['props'])
        has_native=any(':' in word and not word.startswith('>') for form in forms for word in form.split(' '))
        known=[set(form.split(' ')[1:]) for form in forms]
        if (not forms and ' ' not in line and not mark) or has_native or set(o['props']) in known: continue
        lines.setdefault(name,[]).append(line)
    with open(table,'w') as out: out.writelines(line+'\n' for name in sorted(lines) for line in lines[name])
def add_older(version,table,found):
    lines={}
    for line in open(table).read().splitlines(): lines.setdefault(re.sub(r'!?(\+|-\d+)?$','',line.split(' ')[0]),[]).append(line)
    for name,o in found.items():
        forms=lines.setdefault(name,[])
        older=[form for form in forms if re.search(r'-\d+$',form.split(' ')[0])]
        following=(older or forms[:1] or [''])[-1]
        if (o['props'] or ' ' in following) and following.split(' ')[1:]!=o['props']:
            forms.append(name+('!' if o['iso'] else '')+'-'+version+''.join(' '+p for p in o['props']))
    with open(table,'w') as out: out.writelines(line+'\n' for name in sorted(lines) for line in lines[name])
def main(arguments):
    older=arguments[1] if arguments[0]=='--older' else None
    table=arguments[2] if older else arguments[1] if arguments[0]=='--add' else None
    all={}
    for root in arguments[3 if older else 2 if table else 0:]:
        if root.endswith('.py'):
            all.update(bindings(root))
            continue
        cpps=[root] if root.endswith('.cpp.inc') else sorted(glob.glob(root+'/**/*.cpp.inc',recursive=True))
        for cpp in cpps:
            if '::getOperationName' not in open(cpp).read() and 'getPropertiesAsAttr' not in open(cpp).read(): continue
            h=cpp[:-len('.cpp.inc')]+'.h.inc'
            if not os.path.exists(h): print('no',h,file=sys.stderr); continue
            all.update(parse(cpp,h))
    if older: return add_older(older,table,all)
    if table: return add(table,all)
    for name in sorted(all):
        o=all[name]
        print(name+('!' if o['iso'] else '')+''.join(' '+p for p in o['props']))
if __name__=='__main__': main(sys.argv[1:])
