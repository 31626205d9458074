import { apiUrl } from '../../data/base.ts'

/** How a job is submitted by somebody who has never submitted one. */
export const firstJob = `curl -s ${apiUrl}/v1/jobs -H 'content-type: application/json' \\
  -d '{"type":"greet","name":"/mine/first","params":{"who":"you"}}'`
