/** The operator, as the gateway writes it into a page. The app reads it when it is loaded, so this comes first. */
import operator from './operator.json'

document.head.append(Object.assign(document.createElement('script'), { id: 'operator', type: 'application/json', text: JSON.stringify(operator) }))
