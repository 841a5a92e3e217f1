/**
 * Maps places on the lanes to the screen. 0 and 1 are the first and the last mark, with room at both ends to show them
 * whole.
 */

/** The room at each end, in CSS pixels. */
const PADDING = 8

/** The offset of a place from the left, in CSS pixels. */
export const offsetOf = (place: number, width: number): number => PADDING + place * (width - 2 * PADDING)

/** The width between the places 0 and 1, in CSS pixels. */
export const roomOf = (width: number): number => width - 2 * PADDING

/** Like `offsetOf`, as CSS for any width. */
export const leftOf = (place: number): string => `calc(${PADDING}px + (100% - ${2 * PADDING}px) * ${place.toFixed(5)})`

/** The place under a pointer, possibly outside 0 to 1; null before the lanes exist. */
export const placeAt = (lanes: Element | null, clientX: number): number | null => {
  if (lanes === null) return null
  const { left, width } = lanes.getBoundingClientRect()
  return (clientX - left - PADDING) / Math.max(1, roomOf(width))
}

export const within = (place: number): number => Math.min(1, Math.max(0, place))

/** Resizes and clears a canvas, at the screen's resolution; null if there is nothing to paint on. */
export const emptied = (
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null => {
  const context = canvas?.getContext("2d") ?? null
  if (canvas === null || context === null || width === 0) return null
  const ratio = devicePixelRatio
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}
