/**
 * A whole number as English writes it, its digits in groups of three: `86,400,000`. `toLocaleString` says the same; the first call of
 * it takes longer than everything else that a manifest's modules do when they are loaded.
 */
export const grouped = (whole: number): string => String(whole).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")
