import type { Rule } from '../rule';
import { scrapeTimeout } from './scrape-timeout';
import { scrapesWorkers } from './scrapes-workers';
import { monitorMatchesNothing } from './selector-matches-nothing';
import { undeclaredPort } from './undeclared-port';

export const MONITORING_RULES: readonly Rule[] = [scrapeTimeout, scrapesWorkers, monitorMatchesNothing, undeclaredPort];
