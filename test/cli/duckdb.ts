import { duckdb } from "../fetched.ts"

/** The rows that DuckDB answers to a query, as plain JSON. */
export const query = async (sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const instance = await duckdb().DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(sql)
    return reader.getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
