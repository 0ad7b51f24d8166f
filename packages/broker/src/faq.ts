/**
 * The line that Java adds to some remarks. Kept letter for letter, because tools and logs of existing clusters look for it.
 * Source: FAQUrl#suggestTodo, 5.3.x
 */
export const faqSuffix = '\nSee https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.'
