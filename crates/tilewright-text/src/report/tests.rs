use super::{Excerpt, Label, Look, Report};

/// A label of the first place of a word.
fn label(source: &str, word: &str, message: &str) -> Label {
    let start = source.find(word).unwrap();
    let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
    Label {
        span: start..start + word.len(),
        line: source[..start].matches('\n').count() + 1,
        column: source[line_start..start].chars().count() + 1,
        message: message.to_owned(),
    }
}

fn shown(excerpt: Excerpt<'_>) -> String {
    Report::new("rule", "it is wrong").excerpt(excerpt).render(Look::plain())
}

#[test]
fn labels_far_from_each_other_have_pieces_of_their_own() {
    let source = format!("first\n{}last\n", "between\n".repeat(500));
    let excerpt = Excerpt::new("k", &source).context(label(&source, "first", "here")).primary(label(&source, "last", "and here"));
    let expected = "\
error[rule]: it is wrong
   --> k:502:1
    |
502 | last
    | ^^^^ and here
    |
   ::: k:1:1
    |
  1 | first
    | ----- here
";
    assert_eq!(shown(excerpt), expected);
}

#[test]
fn a_single_line_between_labels_is_shown() {
    let source = "a = 1\nb\t= 2\nc = 3\n\n\nf\n";
    let excerpt = Excerpt::new("k", source).primary(label(source, "a", "")).context(label(source, "c", "")).context(label(source, "f", ""));
    let expected = "\
error[rule]: it is wrong
 --> k:1:1
  |
1 | a = 1
  | ^
2 | b    = 2
3 | c = 3
  | -
...
6 | f
  | -
";
    assert_eq!(shown(excerpt), expected);
}

#[test]
fn of_a_long_line_the_part_around_the_label_is_shown() {
    let long = format!("{}wrong{}", "x ".repeat(5000), " y".repeat(5000));
    let source = format!("first\n{long}\nlast");
    let excerpt = Excerpt::new("k", &source).primary(label(&source, "wrong", "this")).context(label(&source, "last", "that"));
    let text = shown(excerpt);
    assert!(text.starts_with("error[rule]: it is wrong\n --> k:2:10001\n"), "{text}");
    assert!(text.contains("x x wrong y y") && text.contains("^^^^^ this\n") && text.contains("---- that\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 160), "{text}");
    // Where it is no more than named.
    let excerpt = Excerpt::new("k", &source).primary(label(&source, "first", "")).context(label(&source, "wrong", "this"));
    let text = shown(excerpt);
    assert!(text.ends_with("  = note: this (k:2:10001)\n"), "{text}");
}

#[test]
fn two_labels_of_one_place_are_both_shown() {
    let source = "store %x\n";
    let excerpt = Excerpt::new("k", source).primary(label(source, "store", "one block")).context(label(source, "store", "another"));
    let text = shown(excerpt);
    assert!(text.contains("one block\n") && text.contains("another\n"), "{text}");
}

#[test]
fn nothing_reaches_a_terminal_but_colours_of_our_own() {
    let source = b"a\x1b[31m \xe4\xb8\xad\xff\tb\r\nend\0";
    let place = Label { span: 6..9, line: 1, column: 7, message: "\x1b[2J\u{9b}".into() };
    let report = Report::new("rule", "\x1b]0;title\x07").excerpt(Excerpt::new("\u{202e}k", source).primary(place.clone()));
    let report = report.place("\x1b", None, None).note("\x1b[1m").help("\u{9b}");
    let plain = report.render(Look::plain());
    assert!(plain.chars().all(|c| c == '\n' || tilewright_ir::is_printable(c)), "{plain:?}");
    let coloured = report.render(Look::colour());
    let mut rest = coloured.as_str();
    while let Some((_, behind)) = rest.split_once('\x1b') {
        let end = behind.find('m').unwrap();
        assert!(behind.starts_with('[') && behind[1..end].chars().all(|c| c.is_ascii_digit() || c == ';'), "{coloured:?}");
        rest = &behind[end..];
    }
    assert!(coloured.len() > plain.len());
}

#[test]
fn places_without_lines_are_named() {
    let report = Report::new("rule", "it is wrong").place("k.py", Some(3), None).note("operation 2").help("do not");
    assert_eq!(report.render(Look::plain()), "error[rule]: it is wrong\n--> k.py:3\n = note: operation 2\n = help: do not\n");
    let report = Report::new("rule", "it is wrong");
    assert_eq!(report.render(Look::plain()), "error[rule]: it is wrong\n");
}

#[test]
fn a_narrow_terminal_gets_narrow_lines() {
    let source = format!("{}wrong{}\n", "x ".repeat(60), " y".repeat(60));
    let excerpt = Excerpt::new("k", &source).primary(label(&source, "wrong", "this"));
    let report = Report::new("rule", "it is wrong").excerpt(excerpt);
    let text = report.render(Look::plain().width(60));
    assert!(text.contains("^^^^^ this") && text.lines().all(|line| line.chars().count() <= 66), "{text}");
}
