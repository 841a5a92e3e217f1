/**
 * Formats an integer with thousands separators: `86,400,000`. `toLocaleString` does the same, but its first call takes
 * longer than loading all modules of the manifest.
 */
export const grouped = (whole: number): string => String(whole).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
