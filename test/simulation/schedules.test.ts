import { describe } from 'vitest'
import { schedulePolicies } from './schedule-policies.ts'

describe('a year of schedules makes one job for each due instant', () => schedulePolicies(1))
