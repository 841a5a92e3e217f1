/** Replaces methods of Node's modules for the rest of the process. */

/** A method of unknown type. */
export type Method = (this: unknown, ...args: Array<unknown>) => unknown

/** Replaces a method, keeping its name and length. Does nothing if the method does not exist, as in a later Node. */
export const replace = (of: object, name: string, by: (original: Method) => Method): void => {
  const original: unknown = Reflect.get(of, name)
  if (!isMethod(original)) return
  const method = by(original)
  const { length } = original
  Object.defineProperties(method, { name: { value: name }, length: { value: length } })
  // Symbol properties carry metadata, such as that of `util.promisify`.
  for (const key of Object.getOwnPropertySymbols(original)) Reflect.set(method, key, Reflect.get(original, key))
  Object.defineProperty(of, name, { value: method, configurable: true, writable: true, enumerable: isListed(of, name) })
}

const isMethod = (value: unknown): value is Method => typeof value === "function"

const isListed = (of: object, name: string): boolean => Object.getOwnPropertyDescriptor(of, name)?.enumerable ?? false

export const namesOf = (of: object): ReadonlyArray<string> =>
  Object.getOwnPropertyNames(of).filter((name) => isMethod(Object.getOwnPropertyDescriptor(of, name)?.value))
