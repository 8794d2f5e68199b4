import Livery
import Testing

@Suite struct StoreTests {
}
