"""Makes `table.txt` of what mlir-tblgen generates: the operations, whether they are isolated, and their properties.

table.py PATH... >table.txt: folders with `*.cpp.inc` and `*.h.inc`, or such `*.cpp.inc` files. The table was made of the headers of
libmlir-22-dev (`mlir/Dialect`, `mlir/IR`), and of what `mlir-tblgen -gen-op-defs` and `-gen-op-decls` make of VhloOps.td,
StablehloOps.td and ChloOps.td of StableHLO (of August 2026) and ops.td of Shardy (of the same time) as Vhlo.cpp.inc, Vhlo.h.inc and so
on. What an operation had
before, or has since, comes on a line behind it, by hand.
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
        assert not rest,(c,rest)
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
                w=re.search(r'IntegerType::get\(ctx, (\d+)\), static_cast<uint',attrs[attrs.index('prop.'+n):]).group(1)
                props.append(n+':int'+w)
        # names as printed may differ from C++ member names
        out[classes[c]]['props']=props
    return out
_cb={}
def classbody(hs,c):
    # properties struct lives in the generic adaptor base
    i=hs.index('class '+c+'GenericAdaptorBase')
    return hs[i:hs.index('\nclass ',i+10)]
if __name__=='__main__':
    all={}
    for root in sys.argv[1:]:
        cpps=[root] if root.endswith('.cpp.inc') else sorted(glob.glob(root+'/**/*.cpp.inc',recursive=True))
        for cpp in cpps:
            if '::getOperationName' not in open(cpp).read() and 'getPropertiesAsAttr' not in open(cpp).read(): continue
            h=cpp[:-len('.cpp.inc')]+'.h.inc'
            if not os.path.exists(h): print('no',h,file=sys.stderr); continue
            all.update(parse(cpp,h))
    for name in sorted(all):
        o=all[name]
        print(name+('!' if o['iso'] else '')+''.join(' '+p for p in o['props']))
