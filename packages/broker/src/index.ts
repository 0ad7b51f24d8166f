/** The broker: one module per capability over the store. */
export {}
