import { z } from 'zod'
import type { NewTemplateOptions, TemplateOptions } from '../../engine/templates-api.ts'
import { type Route, route } from '../route.ts'
import { page, uuid } from '../schemas/common.ts'
import { job } from '../schemas/jobs.ts'
import { newTemplate, template, templateChanges, templateJob } from '../schemas/templates.ts'
import { submitOne } from '../submission.ts'
import { found, recordsOf, recordsQuery } from './common.ts'

const tag = 'Templates'

const params = z.strictObject({ template: uuid })

export const templateRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/templates',
    id: 'createTemplate',
    tag,
    summary: 'Makes a template.',
    role: 'admin',
    body: newTemplate,
    status: 201,
    response: template,
    run: ({ stint, body: { type, ...options } }) => {
      return stint.templates.create({ ...options, job: type } as NewTemplateOptions)
    },
  }),
  route({
    method: 'get',
    path: '/templates',
    id: 'listTemplates',
    tag,
    summary: 'Templates, the newest first; with `all`, those that are archived, too.',
    role: 'read',
    query: recordsQuery,
    response: page(template),
    run: ({ stint, query }) => stint.templates.list(recordsOf(stint, query)),
  }),
  route({
    method: 'get',
    path: '/templates/{template}',
    id: 'getTemplate',
    tag,
    summary: 'A template.',
    role: 'read',
    params,
    response: template,
    run: async ({ stint, params: { template: id } }) => found('template', id, await stint.templates.get(id)),
  }),
  route({
    method: 'patch',
    path: '/templates/{template}',
    id: 'changeTemplate',
    tag,
    summary: 'Changes what new jobs get. Those that were made of it stay as they are.',
    role: 'admin',
    params,
    body: templateChanges,
    response: template,
    run: ({ stint, params: { template: id }, body }) => stint.templates.update(id, body as TemplateOptions),
  }),
  route({
    method: 'post',
    path: '/templates/{template}/activate',
    id: 'activateTemplate',
    tag,
    summary: 'CREATED becomes ACTIVE, which its first use does, too.',
    role: 'admin',
    params,
    response: template,
    run: ({ stint, params: { template: id } }) => stint.templates.activate(id),
  }),
  route({
    method: 'post',
    path: '/templates/{template}/archive',
    id: 'archiveTemplate',
    tag,
    summary: 'No more jobs are made of it, and its schedules stop.',
    role: 'admin',
    params,
    response: template,
    run: ({ stint, params: { template: id } }) => stint.templates.archive(id),
  }),
  route({
    method: 'post',
    path: '/templates/{template}/jobs',
    id: 'submitFromTemplate',
    tag,
    summary: 'Submits a job that is made of the template. What is not said here, the template says.',
    role: 'submit',
    params,
    body: templateJob,
    status: 201,
    response: job,
    run: (call) => submitOne(call, { ...call.body, template: call.params.template }),
  }),
]
