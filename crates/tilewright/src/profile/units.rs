//! Amounts for people.

/// A time with three digits.
pub(super) fn time(seconds: f64) -> String {
    let scaled = match seconds {
        0.0 => return "0".to_owned(),
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {}", digits(scaled.0), scaled.1)
}

/// An amount of bytes.
pub(super) fn bytes(amount: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    scaled(amount, 1024.0, &UNITS).unwrap_or_else(|| format!("{amount} B"))
}

/// How many there are.
pub(super) fn count(amount: u64) -> String {
    const UNITS: [&str; 5] = ["k", "M", "G", "T", "P"];
    scaled(amount, 1000.0, &UNITS).unwrap_or_else(|| amount.to_string())
}

/// A rate of bytes or operations per second.
pub(super) fn rate(per_second: f64) -> String {
    format!("{} G", digits(per_second * 1e-9))
}

/// A part of a whole.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 9.95 => format!("{percent:.1}%"),
        percent => format!("{percent:.0}%"),
    }
}

/// A number in the largest unit that it has one of; none if it is small enough to be written out.
fn scaled(amount: u64, step: f64, units: &[&str]) -> Option<String> {
    let mut scaled = amount as f64;
    let mut unit = None;
    for next in units {
        // What three digits would round up to the next unit is one of it.
        if scaled < step - 0.5 {
            break;
        }
        (scaled, unit) = (scaled / step, Some(*next));
    }
    unit.map(|unit| format!("{} {unit}", digits(scaled)))
}

fn digits(number: f64) -> String {
    match number {
        n if n < 9.995 => format!("{n:.2}"),
        n if n < 99.95 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits() {
        assert_eq!(
            [0, 1023, 1024, 16384, 1 << 20, 1_048_575].map(bytes),
            ["0 B", "1023 B", "1.00 KiB", "16.0 KiB", "1.00 MiB", "1.00 MiB"]
        );
        assert_eq!([0, 999, 1000, 12_345, 999_999, 5_000_000_000].map(count), ["0", "999", "1.00 k", "12.3 k", "1.00 M", "5.00 G"]);
        assert_eq!([0.0, 1.5e-8, 1.234e-5, 0.02, 3.0].map(time), ["0", "15.0 ns", "12.3 us", "20.0 ms", "3.00 s"]);
        assert_eq!([0.0, 0.0312, 0.0996, 0.5, 1.2].map(percent), ["0.0%", "3.1%", "10%", "50%", "120%"]);
        assert_eq!(rate(1.25e10), "12.5 G");
    }
}
