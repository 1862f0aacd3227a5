// Runs the WebAssembly module beside the page, so that a kernel that takes long, or for ever, does not hold the page up.
"use strict";

let wasm;

function ask(request, bytes) {
  const { memory, tilewright_room, tilewright_answer, tilewright_text } = wasm.exports;
  const put = (data) => {
    const at = tilewright_room(data.length);
    new Uint8Array(memory.buffer, at, data.length).set(data);
    return at;
  };
  const text = new TextEncoder().encode(JSON.stringify(request));
  const attached = bytes ?? new Uint8Array(0);
  const [first, second] = [put(text), put(attached)];
  const length = tilewright_answer(first, text.length, second, attached.length);
  return new TextDecoder().decode(new Uint8Array(memory.buffer, tilewright_text(), length));
}

self.onmessage = async ({ data }) => {
  const { id, module, request, bytes } = data;
  try {
    if (module) {
      wasm = await WebAssembly.instantiate(module, {});
      self.postMessage({ id, answer: "null" });
    } else {
      self.postMessage({ id, answer: ask(request, bytes) });
    }
  } catch (error) {
    // The module is in no state to go on after a trap: the page starts another worker.
    self.postMessage({ id, failed: `${error}` });
  }
};
