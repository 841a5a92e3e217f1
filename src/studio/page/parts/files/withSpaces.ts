/** Tabs as four spaces: the page spells out every control character. */
export const withSpaces = (line: string): string => line.replaceAll("\t", "    ")
