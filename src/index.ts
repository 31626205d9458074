export * from './core/errors.ts'
export * from './core/names/ids.ts'
export * from './core/names/job-name.ts'
