//! Tile IR modules as modules of the cuda_tile dialect in MLIR bytecode.

use std::{
    fs,
    path::{Path, PathBuf},
};
use tilewright_bytecode as bytecode;
use tilewright_mlir::{Version, read, tile_ir, write};
use tilewright_text as text;

/// The Tile IR files of the corpus.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.extension() {
            _ if path.is_dir() => files(&path, found),
            Some(extension) if extension == "tilebc" => found.push(path),
            _ => {}
        }
    }
}

fn corpus() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["../shared/corpus", "tests/corpus"] {
        files(&root.join(folder), &mut found);
        if !found.is_empty() {
            break;
        }
    }
    found.sort();
    found
}

/// There and back is the same text, with locations, and the same bytes.
#[test]
fn modules_go_there_and_back() {
    let files = corpus();
    assert!(files.len() > 20, "{} files", files.len());
    let options = text::PrintOptions::new().generic(true).debug_info(true);
    let (mut compared, mut reordered) = (0, 0);
    for path in files {
        let name = path.display();
        // Some are broken on purpose.
        let Ok(module) = bytecode::read(&fs::read(&path).unwrap()) else { continue };
        let Ok(module) = tilewright_ir::verify(module) else { continue };
        let mlir = tile_ir::to_mlir(&module).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(tile_ir::is_tile_ir(&mlir));
        let written = write(&mlir, Version::LATEST).unwrap();
        let again = read(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back = tile_ir::from_mlir(&again, module.version).unwrap_or_else(|error| panic!("{name}: {error}"));
        let back = tilewright_ir::verify(back).unwrap();
        let (found, expected) = (text::print(&back, &options), text::print(&module, &options));
        let difference = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
        assert_eq!(difference, None, "{name}");
        assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
        let writer = bytecode::WriteOptions::new(module.version);
        let found = bytecode::write(&back, &writer).unwrap();
        if found != bytecode::write(&module, &writer).unwrap() {
            // The text orders the strings of hints in another way than some files: then the module that it gives is the measure.
            let printed = text::print(&module, &options.module(true));
            let parsed = text::parse(&printed, &text::ParseOptions::new().version(module.version)).unwrap();
            assert_eq!(found, bytecode::write(&tilewright_ir::verify(parsed).unwrap(), &writer).unwrap(), "{name}");
            reordered += 1;
        }
        compared += 1;
    }
    assert!(compared > 20 && reordered * 10 < compared, "{compared} modules, {reordered} in another order");
}

/// Operations of a version have the properties that the dialect has in that version, none as opaque bytes.
#[test]
fn properties_are_known() {
    for version in tilewright_ir::Version::ALL {
        let source = "entry @k(%x: tile<f32>) {\n  %y = exp %x : tile<f32>\n  %z = addf %y, %x : tile<f32>\n}";
        let module = text::parse(source, &text::ParseOptions::new().version(version)).unwrap();
        let mlir = tile_ir::to_mlir(&module).unwrap();
        let bytes = write(&mlir, Version::LATEST).unwrap();
        let printed = tilewright_mlir::print(&read(&bytes).unwrap(), &tilewright_mlir::PrintOptions::new());
        assert!(printed.contains("rounding_mode = #cuda_tile.rounding<nearest_even>"), "{printed}");
        assert!(!printed.contains("opaque"), "{printed}");
    }
}

#[test]
fn other_dialects_are_refused_by_name() {
    let source = "\"cuda_tile.module\"() <{sym_name = \"m\"}> ({\n  \"arith.addi\"() : () -> ()\n}) : () -> ()\n";
    let module = tilewright_mlir::parse(source).unwrap();
    let error = tile_ir::from_mlir(&module, tilewright_ir::Version::LATEST).unwrap_err().to_string();
    assert!(error.contains("arith.addi"), "{error}");
}
