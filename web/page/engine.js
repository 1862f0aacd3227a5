// The worker that holds the WebAssembly module, as one function from a request to an answer.

// The page that is a single file has these two inside; otherwise they lie beside it.
const inline = globalThis.tilewrightInline;

async function compile() {
  if (inline) {
    const packed = Uint8Array.from(atob(inline.wasm), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }
  const response = await fetch(new URL("tilewright.wasm", import.meta.url));
  if (!response.ok) throw new Error(`tilewright.wasm: ${response.status} ${response.statusText}`);
  // Servers that do not know the type of the file are served by the slower way.
  const isKnown = response.headers.get("content-type")?.startsWith("application/wasm");
  return isKnown ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

function workerUrl() {
  return inline ? URL.createObjectURL(new Blob([inline.worker], { type: "text/javascript" })) : new URL("worker.js", import.meta.url);
}

export class Engine {
  #module = compile();
  #worker = null;
  #waiting = new Map();
  #next = 1;
  // What a new worker has to be told first.
  #opened = null;
  #files = new Map();

  async #start() {
    const module = await this.#module;
    const worker = new Worker(workerUrl());
    worker.onmessage = ({ data }) => {
      const { resolve, reject } = this.#waiting.get(data.id) ?? {};
      this.#waiting.delete(data.id);
      if (data.failed === undefined) return resolve?.(data.answer);
      if (this.#worker === worker) this.#discard();
      reject?.(new Error(`the engine stopped: ${data.failed}. That is a defect of Tilewright: please report it with this module`));
    };
    this.#worker = worker;
    this.#post({ module });
    for (const message of [...this.#files.values(), this.#opened].filter(Boolean)) this.#post(message).catch(() => {});
  }

  #discard() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(new Error("stopped"));
    this.#waiting.clear();
  }

  #post(message) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...message });
    });
  }

  #starting = null;
  async ask(request, bytes) {
    if (!this.#worker) {
      this.#starting ??= this.#start().finally(() => (this.#starting = null));
      await this.#starting;
    }
    if (request.do === "file") this.#files.set(request.name, { request, bytes });
    if (request.do === "open") this.#opened = { request, bytes };
    const answer = JSON.parse(await this.#post({ request, bytes }));
    if (typeof answer?.error === "string") throw new Error(answer.error);
    return answer;
  }

  // Ends what is being done; the module stays open.
  stop() {
    this.#discard();
  }
}
