/**
 * Columns under construction: the shape that `JsonColumns.split` finds for a list of values, with room for more values at
 * the end. A value that does not fit changes nothing that counts: the caller then splits all values.
 */

import type { Json, JsonObject } from "../../values/Json.ts"
import { isOrdinaryKey, MAX_ITEMS, MAX_KEYS, merge, type Shape } from "./JsonColumns.ts"

/** A part of the tree. */
export type ColumnNode = NumberNode | TextNode | ListNode | ObjectNode

interface NumberNode {
  readonly kind: "number"
  readonly column: Float64Array
}

interface TextNode {
  readonly kind: "text"
  readonly column: Float64Array
  readonly texts: Array<string>
}

interface ListNode {
  readonly kind: "list"
  readonly items: ReadonlyArray<ColumnNode>
}

interface ObjectNode {
  readonly kind: "object"
  fields: Array<FieldNode>
}

/** A key of objects. `has` says in which rows it is. */
export interface FieldNode {
  readonly key: string
  has: Float64Array | undefined
  readonly node: ColumnNode
}

/** The shape, and its columns in the order in which `JsonColumns.join` takes them. */
export const finish = (node: ColumnNode, columns: Array<Float64Array>): Shape => {
  switch (node.kind) {
    case "number":
      columns.push(node.column)
      return { kind: "number" }
    case "text":
      columns.push(node.column)
      return { kind: "text", texts: node.texts }
    case "list":
      return { kind: "list", items: node.items.map((item) => finish(item, columns)) }
    case "object":
      return {
        kind: "object",
        fields: node.fields.map(({ key, has, node: inside }) => {
          if (has === undefined) return { key, shape: finish(inside, columns) }
          columns.push(has)
          return { key, has: true as const, shape: finish(inside, columns) }
        }),
      }
  }
}

/**
 * Adds a value in a row; undefined repeats the one before. All rows before have values. Returns false if the tree has no
 * place for it.
 *
 * @param rows the length of the columns
 */
export const append = (node: ColumnNode, value: Json | undefined, row: number, rows: number): boolean => {
  switch (node.kind) {
    case "number":
      if (value !== undefined && typeof value !== "number") return false
      node.column[row] = value === undefined ? (node.column[row - 1] ?? 0) : value + 0
      return true
    case "text":
      node.column[row] = value === undefined ? (node.column[row - 1] ?? 0) : indexOf(node, JSON.stringify(value))
      return true
    case "list":
      if (value !== undefined && !(Array.isArray(value) && value.length === node.items.length)) return false
      return node.items.every((item, index) => append(item, (value as ReadonlyArray<Json>)?.[index], row, rows))
    case "object":
      if (value === undefined) return node.fields.every((field) => appendField(field, undefined, undefined, row, rows))
      return isObject(value) && appendObject(node, value, row, rows)
  }
}

const appendObject = (node: ObjectNode, value: JsonObject, row: number, rows: number): boolean => {
  const own = Object.keys(value)
  const keys = merge(
    node.fields.map(({ key }) => key),
    own,
  )
  if (keys === undefined || keys.length > MAX_KEYS) return false
  const known = new Map(node.fields.map((field) => [field.key, field]))
  const fields: Array<FieldNode> = []
  for (const key of keys) {
    const inside = Object.hasOwn(value, key) ? value[key] : undefined
    const found = known.get(key)
    const field = found ?? fieldFor(key, inside, rows)
    if (field === undefined) return false
    if (!appendField(field, inside, inside !== undefined, row, rows)) return false
    fields.push(field)
  }
  node.fields = fields
  return true
}

const appendField = (
  field: FieldNode,
  value: Json | undefined,
  isThere: boolean | undefined,
  row: number,
  rows: number,
): boolean => {
  if (isThere === false) field.has ??= new Float64Array(rows).fill(1)
  if (field.has !== undefined) field.has[row] = isThere === undefined ? (field.has[row - 1] ?? 0) : Number(isThere)
  return append(field.node, value, row, rows)
}

const fieldFor = (key: string, value: Json | undefined, rows: number): FieldNode | undefined => {
  const node = value === undefined || !isOrdinaryKey(key) ? undefined : nodeFor(value, rows)
  return node === undefined ? undefined : { key, has: new Float64Array(rows), node }
}

/** A node for values like this one. Undefined if it has unusual keys. */
const nodeFor = (value: Json, rows: number): ColumnNode | undefined => {
  const column = () => new Float64Array(rows)
  if (typeof value === "number") return { kind: "number", column: column() }
  if (Array.isArray(value) && value.length > 0 && value.length <= MAX_ITEMS) {
    const items = (value as ReadonlyArray<Json>).map((item) => nodeFor(item, rows))
    return items.every((item) => item !== undefined) ? { kind: "list", items } : undefined
  }
  if (!isObject(value)) return { kind: "text", column: column(), texts: [] }
  const keys = Object.keys(value)
  if (keys.length > MAX_KEYS || !keys.every(isOrdinaryKey)) return undefined
  const nodes = keys.map((key) => nodeFor(value[key] ?? null, rows))
  return nodes.every((node) => node !== undefined)
    ? { kind: "object", fields: keys.map((key, index) => ({ key, has: undefined, node: nodes[index] as ColumnNode })) }
    : undefined
}

const indexOf = ({ texts }: TextNode, text: string): number => {
  const found = texts.indexOf(text)
  return found >= 0 ? found : texts.push(text) - 1
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
