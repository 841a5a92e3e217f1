/** Reads fields of values from outside whose shape nothing guarantees: errors of packages, pieces of a stream. */

/** The field of an object or a list, or undefined. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** Text that is not empty, or undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined
