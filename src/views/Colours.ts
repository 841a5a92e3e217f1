/** The colours of views, their shades, and the paper of pictures. */

export const COLOURS = ["red", "green", "yellow", "blue", "magenta", "cyan", "white", "grey"] as const

export const PAINT = new RegExp(`^(?:none|currentColor|black|${COLOURS.join("|")}|#(?:[0-9a-fA-F]{3}){1,2})$`)

export const isPaint = (text: string): boolean => PAINT.test(text)

/** Shades that are legible on light and on dark backgrounds. */
export const SHADES: { readonly [colour in (typeof COLOURS)[number]]: string } = {
  red: "#d1453b",
  green: "#2c9a5b",
  yellow: "#b58900",
  blue: "#3b7dd8",
  magenta: "#b0509f",
  cyan: "#1f97a3",
  white: "currentColor",
  grey: "#8a8f98",
}

/** The background of pictures and images, and the default colour on it. */
export const PAPER = "#fff"
export const INK = "#1a1b1e"

/** Pictures have white paper, so white is a colour of its own there. */
export const paint = (value: string): string => {
  if (value === "white") return "#fff"
  const colour = COLOURS.find((name) => name === value)
  return colour === undefined ? value : SHADES[colour]
}
