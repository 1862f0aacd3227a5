// Colours of values and of blocks, for light and dark pages.

const SCALES = {
  light: { up: ["#f4efe2", "#cfe3d3", "#86c1b0", "#2f8d88", "#0b4c59"], apart: ["#9c3d0c", "#e29a55", "#f4efe2", "#6fa9d2", "#184f86"], none: "#e9e4d9", odd: "#c2167a" },
  dark: { up: ["#232a35", "#20505a", "#2f8884", "#7dcaa6", "#f5efc4"], apart: ["#ffb066", "#a8622a", "#262d38", "#2f6ea5", "#8cc8ff"], none: "#2b323d", odd: "#ff5fb0" },
};

const parse = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const theme = () => SCALES[document.documentElement.dataset.theme] ?? SCALES.light;

function between(stops, share) {
  const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [parse(stops[i]), parse(stops[i + 1])];
  return `rgb(${a.map((channel, c) => Math.round(channel + (b[c] - channel) * (at - i))).join(" ")})`;
}

// The scale for some values: from the least to the largest, or around zero where signs differ.
export function scale(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== "number") continue;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const isApart = least < 0 && most > 0;
  const reach = Math.max(-least, most);
  const colours = theme();
  const stops = isApart ? colours.apart : colours.up;
  const share = (value) => (isApart ? (value + reach) / (2 * reach) : most > least ? (value - least) / (most - least) : 0.5);
  return {
    least,
    most,
    of: (value) => (typeof value === "number" ? between(stops, share(value)) : colours.odd),
    css: `linear-gradient(90deg, ${(isApart ? [share(least), 0.25, 0.5, 0.75, share(most)] : [0, 0.25, 0.5, 0.75, 1]).map((s) => between(stops, s)).join(", ")})`,
  };
}

export const none = () => theme().none;

// Neighbours get hues that are far apart: steps of the golden angle.
export function ofBlock(block) {
  const isDark = theme() === SCALES.dark;
  const lightness = (isDark ? 62 : 70) - 12 * (Math.floor(block / 7) % 2);
  return `hsl(${(172 + block * 137.508) % 360} ${isDark ? 48 : 55}% ${lightness}%)`;
}

export function shown(value) {
  if (typeof value !== "number") return `${value}`;
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}`;
  return `${parseFloat(value.toPrecision(6))}`;
}
