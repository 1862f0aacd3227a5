//! Reads the text form.

use crate::{
    code::{Axis, Carried, Code, Count, Fold, Item, Kind, Loop, Param, ParamKind, Place, Term, Value, Variability, While},
    prim::{Lane, Prim},
    verify::{MAX_DEPTH, verify},
};
use std::{error::Error, fmt};

/// Text that is not vector code, or breaks a rule of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    line: usize,
    message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl Error for ParseError {}

type Parsed<T> = Result<T, ParseError>;

impl Code {
    /// Reads the text form.
    ///
    /// # Errors
    ///
    /// The first place where it is not vector code, or the first rule that it breaks.
    pub fn parse(text: &str) -> Result<Code, ParseError> {
        let mut parser =
            Parser { tokens: tokens(text), at: 0, values: Vec::new(), axes: 0, params: Vec::new(), loops: Vec::new(), depth: 0 };
        let code = parser.code()?;
        verify(&code).map_err(|finding| ParseError { line: 0, message: finding.to_string() })?;
        Ok(code)
    }
}

/// The tokens of a text, each with its line: words, numbers, names with their mark, and single characters.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.split("//").next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let marked = matches!(first, '%' | '^' | '$' | '-');
            let begin = if marked || !is_word(first) { first.len_utf8() } else { 0 };
            let end = if marked || is_word(first) { rest[begin..].find(|c| !is_word(c)).map_or(rest.len(), |n| begin + n) } else { begin };
            tokens.push((number + 1, &rest[..end]));
            rest = rest[end..].trim_start();
        }
    }
    tokens
}

struct Parser<'a> {
    tokens: Vec<(usize, &'a str)>,
    at: usize,
    values: Vec<Option<(Lane, Variability)>>,
    axes: u32,
    params: Vec<ParamKind>,
    loops: Vec<(Axis, Kind)>,
    /// Bodies that are being read.
    depth: usize,
}

/// Values have numbers up to this: as many are kept.
const MAX_VALUES: u32 = 1 << 20;

impl<'a> Parser<'a> {
    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(line, _)| *line);
        Err(ParseError { line, message: message.into() })
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |(_, token)| token)
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.take(token) { Ok(()) } else { self.fail(format!("expected `{token}`, found `{}`", self.peek())) }
    }

    /// A number behind a mark, as in `%12`.
    fn marked(&mut self, mark: char, what: &str) -> Parsed<u32> {
        let number = self.peek().strip_prefix(mark).and_then(|digits| digits.parse().ok()).filter(|n| *n < MAX_VALUES);
        let Some(number) = number else { return self.fail(format!("expected {what} such as {mark}0, found `{}`", self.peek())) };
        self.at += 1;
        Ok(number)
    }

    fn param(&mut self) -> Parsed<Param> {
        self.marked('$', "a parameter").map(Param)
    }

    fn axis(&mut self) -> Parsed<Axis> {
        self.marked('^', "a loop's index").map(Axis)
    }

    fn value(&mut self) -> Parsed<Value> {
        self.marked('%', "a value").map(Value)
    }

    /// A value that has been defined, and its type and variability.
    fn known(&mut self) -> Parsed<(Value, Lane, Variability)> {
        let value = self.value()?;
        match self.values.get(value.index()) {
            Some(Some((lane, variability))) => Ok((value, *lane, *variability)),
            _ => self.fail(format!("{value} is not defined before")),
        }
    }

    fn define(&mut self, value: Value, lane: Lane, variability: Variability) -> Parsed<()> {
        if self.values.len() <= value.index() {
            self.values.resize(value.index() + 1, None);
        }
        if self.values[value.index()].is_some() {
            return self.fail(format!("{value} is defined twice"));
        }
        self.values[value.index()] = Some((lane, variability));
        Ok(())
    }

    fn lane(&mut self) -> Parsed<Lane> {
        let name = self.next();
        let lane = Lane::ALL.into_iter().find(|lane| lane.name() == name);
        lane.map_or_else(|| self.fail(format!("`{name}` is no type of lanes")), Ok)
    }

    fn integer(&mut self) -> Parsed<i64> {
        let token = self.next();
        token.parse().or_else(|_| self.fail(format!("expected an integer, found `{token}`")))
    }

    fn bits(&mut self) -> Parsed<u64> {
        let token = self.next();
        let bits = match token.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => token.parse(),
        };
        bits.or_else(|_| self.fail(format!("expected bits such as 0x3f800000, found `{token}`")))
    }

    fn count(&mut self) -> Parsed<Count> {
        if self.peek().starts_with('$') { self.param().map(Count::Param) } else { self.integer().map(Count::Const) }
    }

    fn code(&mut self) -> Parsed<Code> {
        self.expect("code")?;
        self.expect("lanes")?;
        let lanes = self.integer()?;
        let Ok(lanes) = u32::try_from(lanes) else { return self.fail(format!("{lanes} lanes")) };
        self.expect("(")?;
        while !self.take(")") {
            if !self.params.is_empty() {
                self.expect(",")?;
            }
            let param = self.param()?;
            if param.index() != self.params.len() {
                return self.fail("parameters are numbered in order");
            }
            self.expect(":")?;
            let kind = match self.peek() {
                "buffer" => ParamKind::Buffer,
                "count" => ParamKind::Count,
                _ => ParamKind::Lane(self.lane()?),
            };
            self.at += usize::from(!matches!(kind, ParamKind::Lane(_)));
            self.params.push(kind);
        }
        self.expect("{")?;
        let (body, _) = self.body()?;
        if self.at < self.tokens.len() {
            return self.fail("text behind the code");
        }
        // A number that no value has is given to nothing: its type does not matter.
        let values = self.values.iter().map(|v| v.unwrap_or((Lane::I8, Variability::Uniform))).collect();
        Ok(Code { lanes, params: std::mem::take(&mut self.params), values, axes: self.axes, body, streamed: Vec::new(), fetched: None })
    }

    /// Items up to the closing brace, and what they hand on.
    fn body(&mut self) -> Parsed<(Vec<Item>, Vec<Value>)> {
        let mut items = Vec::new();
        let mut next = Vec::new();
        // A fold and the loop of a lane may stand in the innermost loop.
        if self.depth > MAX_DEPTH + 2 {
            return self.fail("bodies are nested too deep");
        }
        self.depth += 1;
        loop {
            match self.peek() {
                "}" => break,
                "" => return self.fail("expected `}`, found the end of the text"),
                "next" => {
                    self.at += 1;
                    next = self.list(|p| p.known().map(|(value, ..)| value))?;
                    break;
                }
                _ => items.push(self.item()?),
            }
        }
        self.expect("}")?;
        self.depth -= 1;
        Ok((items, next))
    }

    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.take(",") {
            list.push(one(self)?);
        }
        Ok(list)
    }

    fn in_lanes(&self) -> bool {
        self.loops.iter().any(|(_, kind)| *kind == Kind::Lanes)
    }

    fn variability_here(&self) -> Variability {
        if self.in_lanes() { Variability::Varying } else { Variability::Uniform }
    }

    fn mask(&mut self) -> Parsed<Option<Value>> {
        if self.take("if") { self.known().map(|(value, ..)| Some(value)) } else { Ok(None) }
    }

    fn item(&mut self) -> Parsed<Item> {
        if !self.peek().starts_with('%') {
            return match self.next() {
                "store" => {
                    self.lane()?;
                    let (value, ..) = self.known()?;
                    self.expect(",")?;
                    Ok(Item::Store { value, place: self.place()?, mask: self.mask()? })
                }
                "prefetch" => {
                    let size = self.integer()?;
                    let Ok(size) = u32::try_from(size) else { return self.fail(format!("elements of {size} bytes")) };
                    Ok(Item::Prefetch { place: self.place()?, size })
                }
                "scatter" => {
                    self.lane()?;
                    let (value, ..) = self.known()?;
                    self.expect(",")?;
                    let (buffer, offsets) = self.offsets()?;
                    Ok(Item::Scatter { value, buffer, offsets, mask: self.mask()? })
                }
                "for" => self.loop_(Kind::Serial, &[]),
                "lanes" => self.loop_(Kind::Lanes, &[]),
                other => self.fail(format!("`{other}` begins no item")),
            };
        }
        let results = self.list(Self::value)?;
        self.expect("=")?;
        let name = self.next();
        match name {
            "for" => return self.loop_(Kind::Serial, &results),
            "lanes" => return self.loop_(Kind::Lanes, &results),
            "fold" => return self.fold(&results),
            "while" => return self.while_(&results),
            _ => {}
        }
        let [result] = results[..] else { return self.fail(format!("`{name}` gives one value")) };
        let (item, lane, variability) = self.one_result(name, result)?;
        self.define(result, lane, variability)?;
        Ok(item)
    }

    fn one_result(&mut self, name: &str, result: Value) -> Parsed<(Item, Lane, Variability)> {
        Ok(match name {
            "const" => {
                let lane = self.lane()?;
                let bits = self.bits()?;
                (Item::Const { result, bits }, lane, Variability::Uniform)
            }
            "scalar" => {
                let param = self.param()?;
                let Some(ParamKind::Lane(lane)) = self.params.get(param.index()) else { return self.fail(format!("{param} is no number")) };
                (Item::Scalar { result, param }, *lane, Variability::Uniform)
            }
            "index" => {
                let lane = self.lane()?;
                let axis = self.axis()?;
                let lanes = self.loops.contains(&(axis, Kind::Lanes));
                (Item::Index { result, axis }, lane, if lanes { Variability::Varying } else { Variability::Uniform })
            }
            "lookup" => {
                let (index, _, variability) = self.known()?;
                self.expect("[")?;
                let numbers = self.list(Self::bits)?;
                self.expect("]")?;
                let table: Option<Vec<u32>> = numbers.iter().map(|bits| u32::try_from(*bits).ok()).collect();
                let Some(Ok(table)) = table.map(<Box<[u32; 16]>>::try_from) else {
                    return self.fail("a table has 16 numbers of 32 bits");
                };
                (Item::Lookup { result, index, table }, Lane::F32, variability)
            }
            "load" => {
                let lane = self.lane()?;
                (Item::Load { result, place: self.place()?, mask: self.mask()? }, lane, self.variability_here())
            }
            "gather" => {
                let lane = self.lane()?;
                let (buffer, offsets) = self.offsets()?;
                (Item::Gather { result, buffer, offsets, mask: self.mask()? }, lane, self.variability_here())
            }
            _ => {
                let Some(prim) = Prim::from_name(name) else { return self.fail(format!("there is no primitive `{name}`")) };
                let lane = self.lane()?;
                let operands = self.list(Self::known)?;
                if operands.len() != prim.arity() || !prim.takes(lane) {
                    return self.fail(format!("`{prim}` takes {} operands, and {lane} may be no type of it", prim.arity()));
                }
                let varying = operands.iter().any(|(.., variability)| *variability == Variability::Varying);
                let operand = |n: usize| operands[n.min(operands.len() - 1)].0;
                let item = Item::Prim { result, prim, operands: [operand(0), operand(1), operand(2)] };
                (item, prim.result(lane), if varying { Variability::Varying } else { Variability::Uniform })
            }
        })
    }

    fn offsets(&mut self) -> Parsed<(Param, Value)> {
        let buffer = self.param()?;
        self.expect("[")?;
        let (offsets, ..) = self.known()?;
        self.expect("]")?;
        Ok((buffer, offsets))
    }

    fn place(&mut self) -> Parsed<Place> {
        let mut place = Place::of(self.param()?);
        self.expect("[")?;
        loop {
            if self.peek().starts_with('^') {
                let axis = self.axis()?;
                self.expect("*")?;
                let stride = self.count()?;
                let limit = if self.take("<") { Some(self.count()?) } else { None };
                place.terms.push(Term { axis, stride, limit });
            } else {
                place = place.offset_by(self.integer()?);
            }
            if !self.take("+") {
                break;
            }
        }
        self.expect("]")?;
        Ok(place)
    }

    fn loop_(&mut self, kind: Kind, results: &[Value]) -> Parsed<Item> {
        if self.loops.len() >= MAX_DEPTH {
            return self.fail(format!("more than {MAX_DEPTH} loops are nested"));
        }
        let axis = self.axis()?;
        self.axes = self.axes.max(axis.0 + 1);
        self.expect("in")?;
        let count = self.count()?;
        self.loops.push((axis, kind));
        let mut carried = Vec::new();
        if self.take("(") {
            carried = self.list(|p| {
                let partial = p.take("partial");
                let arg = p.value()?;
                p.expect("=")?;
                let (init, lane, variability) = p.known()?;
                let variability = match (p.in_lanes(), partial) {
                    (true, _) => Variability::Varying,
                    (false, true) => Variability::Partial,
                    (false, false) => variability,
                };
                p.define(arg, lane, variability)?;
                Ok((init, arg, lane, variability))
            })?;
            self.expect(")")?;
        }
        self.expect("{")?;
        let (body, next) = self.body()?;
        self.loops.pop();
        if next.len() != carried.len() || results.len() != carried.len() {
            return self.fail(format!("the loop carries {}, hands on {} and gives {} values", carried.len(), next.len(), results.len()));
        }
        let carried = carried.into_iter().zip(next).zip(results).map(|(((init, arg, lane, variability), next), result)| {
            self.define(*result, lane, if kind == Kind::Lanes { Variability::Partial } else { variability })?;
            Ok(Carried { init, arg, next, result: *result })
        });
        Ok(Item::Loop(Loop { kind, axis, count, carried: carried.collect::<Parsed<_>>()?, body }))
    }

    fn while_(&mut self, results: &[Value]) -> Parsed<Item> {
        let limit = self.integer()?;
        let Ok(limit) = u32::try_from(limit) else { return self.fail(format!("{limit} repetitions")) };
        self.expect("(")?;
        let variability = self.variability_here();
        let carried = self.list(|p| {
            let arg = p.value()?;
            p.expect("=")?;
            let (init, lane, _) = p.known()?;
            p.define(arg, lane, variability)?;
            Ok((init, arg, lane))
        })?;
        self.expect(")")?;
        self.expect("{")?;
        let (body, next) = self.body()?;
        if next.len() != carried.len() || results.len() != carried.len() {
            return self.fail(format!("the loop carries {}, hands on {} and gives {} values", carried.len(), next.len(), results.len()));
        }
        let carried = carried.into_iter().zip(next).zip(results).map(|(((init, arg, lane), next), result)| {
            self.define(*result, lane, variability)?;
            Ok(Carried { init, arg, next, result: *result })
        });
        Ok(Item::While(While { limit, carried: carried.collect::<Parsed<_>>()?, body }))
    }

    fn fold(&mut self, results: &[Value]) -> Parsed<Item> {
        self.expect("(")?;
        let partials = self.list(Self::known)?;
        self.expect(")")?;
        self.expect("as")?;
        let lower = self.side(&partials)?;
        self.expect(",")?;
        let upper = self.side(&partials)?;
        self.expect("{")?;
        let (body, combined) = self.body()?;
        if results.len() != partials.len() {
            return self.fail(format!("the fold gives {} values", partials.len()));
        }
        for (result, (_, lane, _)) in results.iter().zip(&partials) {
            self.define(*result, *lane, Variability::Uniform)?;
        }
        let partials = partials.iter().map(|(value, ..)| *value).collect();
        Ok(Item::Fold(Fold { partials, lower, upper, body, combined, results: results.to_vec() }))
    }

    /// The values of half of the lanes, in a combiner.
    fn side(&mut self, partials: &[(Value, Lane, Variability)]) -> Parsed<Vec<Value>> {
        self.expect("(")?;
        let values = self.list(Self::value)?;
        self.expect(")")?;
        if values.len() != partials.len() {
            return self.fail(format!("the fold combines {} values", partials.len()));
        }
        for (value, (_, lane, _)) in values.iter().zip(partials) {
            self.define(*value, *lane, Variability::Uniform)?;
        }
        Ok(values)
    }
}
