// Classes of the words of a text of Tile IR.

const WORDS =
  /(\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*")|(%[\w$.#-]+)|(@[\w$.-]+|@"[^"\n]*")|([!#]\w[\w.-]*)|(-?\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b)|([A-Za-z_][\w.]*)/g;
const TYPES = /^(?:tile|ptr|token|tensor_view|partition_view|gather_scatter_view|strided_view|[if]\d+|bf16|tf32|f8\w+|f4\w+|index)$/;
const KEYWORDS = /^(?:entry|testing|module|cuda_tile|func|global|to|step|in|iter_values|else|then|true|false|loc|private|public|constant_bank)$/;

export class Highlighter {
  #mnemonics = new Set();

  learn(mnemonics) {
    this.#mnemonics = new Set(mnemonics);
  }

  // The line as a list of [text, class].
  words(line) {
    const out = [];
    let last = 0;
    for (const match of line.matchAll(WORDS)) {
      if (match.index > last) out.push([line.slice(last, match.index), ""]);
      out.push([match[0], this.#class(match, line)]);
      last = match.index + match[0].length;
    }
    if (last < line.length) out.push([line.slice(last), ""]);
    return out;
  }

  #class([, comment, string, value, symbol, alias, number, word], line) {
    if (comment) return "t-c";
    if (string) return "t-q";
    if (value) return "";
    if (symbol || alias) return "t-s";
    if (number) return "t-n";
    if (this.#mnemonics.has(word.replace(/^cuda_tile\./, "")) && !TYPES.test(word)) return "t-m";
    if (TYPES.test(word) || /^\d*x?[if]\d+$/.test(word)) return "t-t";
    return KEYWORDS.test(word) ? "t-k" : "";
  }
}
