/** Every wire message, declared once; no sockets. */
export * from './apis/index.ts'
export * from './command.ts'
export * from './define.ts'
export * from './frame.ts'
export * from './language.ts'
export * from './mq-version.ts'
export * from './request-codes.ts'
export * from './response-codes.ts'
