//! The texts of the corpus, in an editor.

use tilewright_bytecode::read;
use tilewright_fuzz::corpus;
use tilewright_lsp::{Analysis, laid_out};
use tilewright_text::{PrintOptions, print};

/// Bytecode files as text, each in a form.
fn printed(form: &PrintOptions) -> Vec<String> {
    let modules = corpus::files("tilebc").into_iter().filter_map(|(_, bytes)| read(&bytes).ok());
    modules.map(|module| print(&module, form)).collect()
}

#[test]
fn what_is_printed_is_laid_out() {
    for form in [PrintOptions::new(), PrintOptions::new().module(true).debug_info(true), PrintOptions::new().generic(true)] {
        let texts = printed(&form);
        assert!(texts.len() > 50, "{} texts", texts.len());
        for text in texts {
            // NVIDIA's disassembler leaves blanks at the end of some lines, and so does the printer.
            let text: String = text.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
            let flat: String = text.lines().map(|line| line.trim_start().to_owned() + "  \n").collect();
            for source in [&text, &flat] {
                let different =
                    laid_out(source).lines().zip(text.lines()).find(|(new, old)| new != old).map(|(a, b)| (a.to_owned(), b.to_owned()));
                assert_eq!(different, None, "{form:?}");
                assert_eq!(laid_out(source).len(), text.len());
            }
        }
    }
}

#[test]
fn what_is_printed_has_no_problems() {
    for text in printed(&PrintOptions::new()) {
        let analysis = Analysis::of(&text);
        assert_eq!(analysis.problems(), [], "{text}");
    }
}

#[test]
fn texts_by_hand_keep_their_words() {
    for (path, text) in corpus::files("mlir") {
        let Ok(text) = String::from_utf8(text) else { continue };
        let new = laid_out(&text);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&new), words(&text), "{}", path.display());
        assert_eq!(laid_out(&new), new, "{}", path.display());
    }
}
