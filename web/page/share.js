// Links that hold a module: the fragment is what is open, compressed. Nothing is sent to a server.

const pipe = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

export function toBase64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

export async function pack(state) {
  const packed = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  return `#1=${toBase64(packed).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

// What a fragment holds; null if it is no link of the explorer.
export async function unpack(fragment) {
  const found = /^#1=([\w-]+)$/.exec(fragment);
  if (!found) return null;
  const packed = fromBase64(found[1].replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(await pipe(packed, new DecompressionStream("deflate-raw"))));
}
